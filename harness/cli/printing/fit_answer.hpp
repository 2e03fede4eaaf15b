// tocuda, Apache-2.0.
// What `fit` prints.
#pragma once

#include <string>
#include <vector>

#include "model/fitted.hpp"

namespace tocuda {

// Lines without a newline: first the verdicts.
std::vector<std::string> fit_answer(const Fitted& fitted);

}  // namespace tocuda
