// tocuda, Apache-2.0.
// Summarises the rows of all processes per parameter set, and fits the summaries per path. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
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

// Whether a sustained measurement kept its speed to the end.

// The first and the last so many seconds are compared, by their medians; with fewer than twice as many nothing is said.
inline constexpr std::size_t seconds_compared = 10;
// Less is not called a change. Chosen, not measured: below it are the steps of a GPU's clock.
inline constexpr double least_change_of_speed = 0.02;

// Returns a flag such as "slower at the end: the last 10 s are 7.0 % below the first 10 s; SM clock 1980 to 1755 MHz".
// Empty if these are no samples of a sustained measurement, or too few.
std::string holding(const Samples& samples);

std::vector<CourseSecond> course_of(const Samples& samples);

}  // namespace tocuda
