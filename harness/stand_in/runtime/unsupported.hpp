// tocuda, Apache-2.0.
// What the simulation cannot do: it says so once on stderr, by name, counts it, and answers 801.
#pragma once

#include <cstdint>
#include <string>

namespace tocuda::stand_in {

int unsupported(const char* what);

struct UnsupportedCalls {
    std::uint64_t calls = 0;
    std::string names;  // once each, a space between them
};
UnsupportedCalls unsupported_calls();

}  // namespace tocuda::stand_in
