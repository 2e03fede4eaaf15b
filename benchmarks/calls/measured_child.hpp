// tocuda, Apache-2.0.
// Starts this program again, with a special argument, as a process that measures itself and writes one line.
#pragma once

#include <string>
#include <vector>

namespace tocuda {

// The descriptor to which it writes.
inline constexpr int child_answers = 3;

// Starts it with these words and, if `setting` is not empty, this `NAME=VALUE` in its environment. Returns what it
// wrote until it ended; empty if it was killed because it took too long.
std::string answer_of_child(std::vector<std::string> words, const std::string& setting = "");

// The child's side: writes its answer, or ends the process if nobody reads it.
void answer_parent(const std::string& line);

double monotonic_seconds();  // the same clock in all processes

}  // namespace tocuda
