// tocuda, Apache-2.0.
// What the starting and the started process have agreed on.
#pragma once

namespace tocuda {

inline constexpr const char* first_byte_word =
    "first-byte";                             // its second argument: when it was started, by monotonic_seconds
inline constexpr int first_byte_answers = 3;  // descriptor

double monotonic_seconds();  // of one clock for all processes

}  // namespace tocuda
