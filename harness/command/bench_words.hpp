// tocuda, Apache-2.0.
// What `bench` says before it starts, of a row as it comes, and of what the time did not suffice for. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "command/bench_rounds.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// How much is measured, and how long that takes by estimate; `left_out` is how many benchmarks the protocol leaves out,
// `budget_seconds` 0 where there is none.
std::string forecast_text(const Forecast& forecast, double budget_seconds, std::size_t left_out);

// One sentence about what was not measured, or not often enough, because the time was spent; `file` is empty where it
// cannot be gone on with. Empty where everything was.
std::string cut_short_text(const std::vector<CutShort>& cut, int least, double budget_seconds, const std::string& file);

// The check of such a set's row.
std::string cut_short_check(const CutShort& cut, int least, double budget_seconds);

// A number of one row on one line: "memory/read 64 MiB: 14.21 us, 4723 GB/s".
std::string one_line(const MeasurementRow& row);

}  // namespace tocuda
