// tocuda, Apache-2.0.
// Claims that two sides answer otherwise, and errors that they tell in other words. Pure.
#pragma once

#include <span>

#include "gathering/gathering.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// What a side answers in several ways by itself is no change; neither is what one side could not try.
ClaimChanges claim_changes(std::span<const GatheredSection> before, std::span<const GatheredSection> after);

}  // namespace tocuda
