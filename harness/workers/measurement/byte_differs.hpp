// tocuda, Apache-2.0.
// What a check says of a byte of a target, or of one around it.
#pragma once

#include <cstddef>
#include <string>

namespace tocuda {

// `byte` counts from the start of the target, which has `of` bytes: it is negative in front of it.
inline std::string byte_differs(std::ptrdiff_t byte, std::size_t of) {
    const auto bytes = [](std::ptrdiff_t count) { return std::to_string(count) + (count == 1 ? " byte " : " bytes "); };
    const auto end = static_cast<std::ptrdiff_t>(of);
    if (byte < 0) return "something was written " + bytes(-byte) + "before the target";
    if (byte >= end) return "something was written " + bytes(byte - end + 1) + "after the target's end";
    return "byte " + std::to_string(byte) + " of " + std::to_string(of) + " differs from the reference";
}

}  // namespace tocuda
