// tocuda, Apache-2.0.
// The estimated work of a measurement before it starts, and what its time limit leaves out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

// The word for what a budget of time left out.

// Where the time was spent before a set had been measured as often as the protocol asks, it has a row that is skipped,
// whose check begins with this word and whose flags hold it. What is measured later makes that good.
inline constexpr std::string_view budget_word = "budget";

inline bool is_cut_for_time(const Samples& samples) {
    return samples.status == Status::skipped && samples.seconds.empty() && samples.check.starts_with(budget_word);
}

// The estimated work of a measurement before it starts: of all of it, and of what fits into its time limit.

// One benchmark on one GPU, or on all of them together where it needs several.
struct UnitForecast {
    std::string benchmark{};
    std::string group{};
    std::vector<int> gpus{};
    std::size_t sets = 0;
    std::size_t processes = 0;
    double seconds = 0;
    std::size_t sets_in_time = 0;
    std::string because{};  // not all sets are measured; empty: all are

    bool operator==(const UnitForecast&) const = default;
};

struct Forecast {
    std::size_t benchmarks = 0;
    std::size_t sets = 0;
    std::size_t processes = 0;
    double seconds = 0;
    std::size_t sets_in_time = 0;
    std::size_t processes_in_time = 0;
    double seconds_in_time = 0;
    int least = 0;  // processes of each set, more of which may follow
    bool may_take_more = false;
    std::vector<UnitForecast> units{};    // in the order in which they are measured, group by group
    std::vector<UnitForecast> skipped{};  // that cannot be measured here

    bool operator==(const Forecast&) const = default;
};

}  // namespace tocuda
