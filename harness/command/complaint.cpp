// tocuda, Apache-2.0.
// Writing without throwing.
#include "command/complaint.hpp"

#include <cstdio>

namespace tocuda {

void complain(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

}  // namespace tocuda
