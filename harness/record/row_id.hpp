// tocuda, Apache-2.0.
// Row ids: measurements with the same id are comparable.
#pragma once

#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

// Returns the first 16 hex digits of the SHA-256 of "NAME\n", "KEY=VALUE\n" for each parameter in the order of their
// names, and "protocol VERSION\n".
std::string row_id(const std::string& benchmark, const Parameters& parameters, int protocol_version);

}  // namespace tocuda
