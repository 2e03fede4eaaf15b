// tocuda, Apache-2.0.
// The word for what a budget of time left out.
#pragma once

#include <string_view>

#include "model/benchmark.hpp"

namespace tocuda {

// Where the time was spent before a set had been measured as often as the protocol asks, it has a row that is skipped,
// whose check begins with this word and whose flags hold it. What is measured later makes that good.
inline constexpr std::string_view budget_word = "budget";

inline bool is_cut_for_time(const Samples& samples) {
    return samples.status == Status::skipped && samples.seconds.empty() && samples.check.starts_with(budget_word);
}

}  // namespace tocuda
