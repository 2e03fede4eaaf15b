// tocuda, Apache-2.0.
// Groups the processes of one row on one side by start: those that count, and why the others do not. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gathering/gathering.hpp"
#include "model/comparison.hpp"

namespace tocuda {

// One process's row with its position in time.
struct PlacedTime {
    std::uint32_t start = 0;    // numbered in order of time
    std::uint32_t section = 0;  // likewise
    const ProcessTime* time = nullptr;
};

struct CountedStarts {
    std::vector<Start> starts{};
    std::string invalid{};              // why nothing of this row counts; empty otherwise
    bool skipped = false;               // never measured: a need was not met
    std::optional<double> seconds{};    // the median over starts of each one's median over processes
    std::optional<double> clock_mhz{};  // likewise, of the SM clock under load
    std::vector<std::string> flags{};
    std::vector<std::uint32_t> numbers{};  // of the starts
};

// `times` are in order of start. A throttled process does not count, and nothing counts unless more processes count
// than do not.
CountedStarts count_starts(std::span<const PlacedTime> times, const RowNames& names,
                           const std::vector<std::string>& start_names);

}  // namespace tocuda
