// tocuda, Apache-2.0.
// What `bench characterise` measures: enough of everything to describe a machine in a quarter of an hour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "request/sweep.hpp"

namespace tocuda {

inline constexpr std::string_view characterise_word = "characterise";

// The benchmarks of which it measures something, in its order.
std::vector<std::string> characterised_benchmarks();

// Leaves out what this catalogue does not have.
Expected<Sweeps> sweeps_that_characterise(const Catalogue& catalogue);

}  // namespace tocuda
