// tocuda, Apache-2.0.
// Calls that the simulator does not support: each is counted, reported once by name on stderr, and returns 801.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace tocuda::simulator {

cudaError_t unsupported(const char* what);

struct UnsupportedCalls {
    std::uint64_t calls = 0;
    std::string names;  // each name once, separated by spaces
};
UnsupportedCalls unsupported_calls();

}  // namespace tocuda::simulator
