// tocuda, Apache-2.0.
// A line on standard error; of a rank of a fleet, with its number before it. Where nobody can read it, that is no
// reason to end a run.
#pragma once

#include <string>

namespace tocuda {

void complain(const std::string& line);

// Why a verb ends with this code; returns it.
int complain(int code, const std::string& line);

}  // namespace tocuda
