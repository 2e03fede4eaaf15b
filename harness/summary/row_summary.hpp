// tocuda, Apache-2.0.
// Rows of processes to one summary for each parameter set, and summaries to one fit for each path. Pure.
#pragma once

#include <span>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/summary.hpp"

namespace tocuda {

// What the processes of one row say together; `rows` is not empty and of one id, GPU and peer. `family`: how many rows
// a comparison would judge at once (detectable.hpp). A wrong result in any process makes the row wrong, without a time.
// Otherwise it is ok where more than half of its processes count; else it is what the most of the others are.
RowSummary summarise(std::span<const MeasurementRow* const> rows, const std::vector<Gpu>& gpus = {}, int family = 1);

// The median of each process of such a row that counts, in their order: what a comparison takes of it. None where any
// of them was wrong.
std::vector<double> process_medians(std::span<const MeasurementRow* const> rows);

// One summary for each id, device, GPU and peer, by GPU as the machine numbers them and then in the order in which they
// first appear. Their family is all of those that have a time.
std::vector<RowSummary> summaries(std::span<const MeasurementRow> rows, const std::vector<Gpu>& gpus = {});

// One fit for each benchmark and set of parameters that differ in `bytes` alone.
std::vector<PathFit> path_fits(std::span<const RowSummary> rows);

// One for each row through LibTorch beside which there is one through the runtime: by benchmark and size.
std::vector<FrameworkTax> framework_taxes(std::span<const RowSummary> rows);

// The rows with their fits and taxes: what `bench` says of a measurement, and `judge` of its file.
MeasuredRun measured_run(std::vector<RowSummary> rows);

}  // namespace tocuda
