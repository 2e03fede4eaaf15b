// tocuda, Apache-2.0.
// Writing without throwing.
#include "command/complaint.hpp"

#include <cstdio>

#include "command/this_rank.hpp"
#include "lines/visible.hpp"

namespace tocuda {

// Many ranks share one standard error: each line is written at once, and says whose it is.
void complain(const std::string& line) {
    const auto rank = this_rank();
    const auto whose = rank && rank->size > 1 ? "[rank " + std::to_string(rank->rank) + "] " : "";
    std::fputs((whose + visible_lines(line) + "\n").c_str(), stderr);
}

int complain(int code, const std::string& line) {
    complain(line);
    return code;
}

}  // namespace tocuda
