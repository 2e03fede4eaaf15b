// tocuda, Apache-2.0.
// The JSON document of `reproduce`.
#pragma once

#include <string>

#include "model/reproduction.hpp"

namespace tocuda {

std::string reproduce_document(const Reproduction& reproduction);

}  // namespace tocuda
