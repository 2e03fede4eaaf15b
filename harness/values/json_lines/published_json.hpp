// tocuda, Apache-2.0.
// Reads results/published/numbers.json.
#pragma once

#include <string_view>

#include "model/problem.hpp"
#include "model/published.hpp"

namespace tocuda {

Expected<Published> published_numbers(std::string_view text);

}  // namespace tocuda
