// tocuda, Apache-2.0.
// Prints a line on standard error, with the rank's number before it in a fleet. Failures to do so are ignored: they are
// no reason to end a run.
#pragma once

#include <string>

namespace tocuda {

void complain(const std::string& line);

// Prints why a verb ends with this exit code; returns the code.
int complain(int code, const std::string& line);

}  // namespace tocuda
