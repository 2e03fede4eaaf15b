// tocuda, Apache-2.0.
// The protocol between the process that starts a first-byte measurement and the one it starts.
#pragma once

namespace tocuda {

inline constexpr const char* first_byte_word = "first-byte";  // followed by the start time in monotonic_seconds
inline constexpr int first_byte_answers = 3;                  // the descriptor for the answer

double monotonic_seconds();  // the same clock in all processes

}  // namespace tocuda
