// tocuda, Apache-2.0.
// What makes two measurements comparable, as 16 hex digits.
#pragma once

#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

// The first 16 hex digits of the SHA-256 of "NAME\n", "KEY=VALUE\n" for each parameter in the order of their names,
// "protocol VERSION\n".
std::string row_id(const std::string& benchmark, const Parameters& parameters, int protocol_version);

}  // namespace tocuda
