// tocuda, Apache-2.0.
// Summarises the rows of all processes per parameter set, and fits the summaries per path. Pure.
#pragma once

#include <span>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/summary.hpp"

namespace tocuda {

// Summarises the processes of one row; `rows` is not empty and has one id, GPU and peer. `family`: how many rows a
// comparison would judge at once (detectable.hpp). A wrong result in any process makes the row wrong, without a time.
// Otherwise the row is ok if more than half of its processes are valid; if not, it gets the most frequent status of the
// others.
RowSummary summarise(std::span<const MeasurementRow* const> rows, const std::vector<Gpu>& gpus = {}, int family = 1);

// Returns the median of each valid process of such a row, in order, for comparisons. Empty if the result of any process
// was wrong.
std::vector<double> process_medians(std::span<const MeasurementRow* const> rows);

// Returns one summary for each id, device, GPU and peer, sorted by GPU index and then by first appearance. Their family
// is the number of rows with a time.
std::vector<RowSummary> summaries(std::span<const MeasurementRow> rows, const std::vector<Gpu>& gpus = {});

// Returns one fit for each benchmark and set of parameters other than `bytes`.
std::vector<PathFit> path_fits(std::span<const RowSummary> rows);

// Returns one tax for each row through LibTorch with a matching row through the runtime, by operation and size.
std::vector<FrameworkTax> framework_taxes(std::span<const RowSummary> rows);

// Returns the rows with their fits and taxes, as `bench` reports a measurement and `judge` its file.
MeasuredRun measured_run(std::vector<RowSummary> rows);

}  // namespace tocuda
