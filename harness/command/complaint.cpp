// tocuda, Apache-2.0.
#include "command/complaint.hpp"

#include <cstdio>

#include "command/this_rank.hpp"
#include "lines/visible.hpp"

namespace tocuda {

// Ranks share one standard error, so each line is written by one call and names its rank.
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
