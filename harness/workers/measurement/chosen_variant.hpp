// tocuda, Apache-2.0.
// Looks up the table of chosen variants.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "measurement/chosen_variants.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// Returns the entry for this operation with the highest compute capability that is not above `capability`; for an older
// GPU, the entry with the lowest. Throws std::logic_error if the operation has no entry.
const ChosenVariant& chosen_variant(std::string_view operation, int capability,
                                    std::span<const ChosenVariant> table = chosen_variants);

Parameters parameters_of(const ChosenVariant& chosen);  // integers as such, everything else as text
Flag flag_of(const ChosenVariant& chosen);

}  // namespace tocuda
