// tocuda, Apache-2.0.
// What `bench characterise` measures: enough of everything to describe a machine in a quarter of an hour.
#pragma once

#include <string_view>

#include "request/sweep.hpp"

namespace tocuda {

inline constexpr std::string_view characterise_word = "characterise";

// What the benchmarks of this catalogue say that it measures of them. Six rounds of all must leave time for rows that
// have not settled.
Expected<Sweeps> sweeps_that_characterise(const Catalogue& catalogue);

}  // namespace tocuda
