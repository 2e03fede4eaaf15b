// tocuda, Apache-2.0.
// The document of `fit --json`.
#pragma once

#include <string>

#include "model/fitted.hpp"

namespace tocuda {

std::string fit_document(const Fitted& fitted);

}  // namespace tocuda
