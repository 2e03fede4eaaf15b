// tocuda, Apache-2.0.
// Looks up the table of chosen variants.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "measurement/chosen_variants.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// The entry for this operation with the highest compute capability that is not above this one; for an older GPU the
// lowest there is. An operation without an entry is a broken invariant.
const ChosenVariant& chosen_variant(std::string_view operation, int capability,
                                    std::span<const ChosenVariant> table = chosen_variants);

Parameters parameters_of(const ChosenVariant& chosen);  // whole numbers as such, everything else as words
std::string in_words(const ChosenVariant& chosen);      // a flag: what was taken, and where that is known from

}  // namespace tocuda
