// tocuda, Apache-2.0.
// The sentences of `bench`: the forecast before it starts, its progress, and what the time budget cut short. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "execution/bench_rounds.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// States how much is measured and the estimated time. `left_out` counts the benchmarks that the protocol skips;
// `budget_seconds` is 0 if there is no time limit.
std::string forecast_text(const Forecast& forecast, double budget_seconds, std::size_t left_out, bool quick = false);

// One sentence about what of `sets` was not measured, or not often enough, because the time is too short. Empty if
// nothing was cut. `file` is empty if the measurement cannot be resumed.
std::string cut_short_text(const std::vector<CutShort>& cut, std::size_t sets, int least, double budget_seconds,
                           const std::string& file);

// The check recorded in the row of a set that was cut short.
std::string cut_short_check(const CutShort& cut, int least, double budget_seconds);

// The progress line: the round, how many of its `in_round` processes are done, and the latest row, shortened to fit.
std::string progress_text(const BenchRounds& rounds, int done, int in_round, double seconds, const std::string& latest);

// One row on one line: "FOLDER/NAME 64 MiB: 14.21 us, 4723 GB/s".
std::string one_line(const MeasurementRow& row);

}  // namespace tocuda
