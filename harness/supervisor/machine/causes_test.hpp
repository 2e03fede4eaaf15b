// tocuda, Apache-2.0.
// For tests: returns why a field of a run line, a report or the facts is absent, or "".
#pragma once

#include <algorithm>
#include <string>

#include "model/machine.hpp"

namespace tocuda {

std::string cause_of(const auto& told, const std::string& field) {
    const auto found = std::ranges::find(told.unavailable, field, &Unavailable::field);
    return found == told.unavailable.end() ? "" : found->cause;
}

}  // namespace tocuda
