// tocuda, Apache-2.0.
// A problem in a file, and its line.
#pragma once

#include <string>

namespace tocuda {

struct Problem {
    int line = 0;  // 0: the whole file
    std::string what{};

    bool operator==(const Problem&) const = default;
};

}  // namespace tocuda
