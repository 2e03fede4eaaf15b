// tocuda, Apache-2.0.
// What a build of tocuda says of itself to another one.
#pragma once

#include "model/machine.hpp"

namespace tocuda {

struct Build {
    Suite suite{};
    int protocol = 1;  // the version by which it measures

    bool operator==(const Build&) const = default;
};

}  // namespace tocuda
