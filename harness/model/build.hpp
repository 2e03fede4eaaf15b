// tocuda, Apache-2.0.
// What a build of tocuda reports about itself to another build.
#pragma once

#include "model/machine.hpp"

namespace tocuda {

struct Build {
    Suite suite{};
    int protocol = 1;  // version of the measurement protocol

    bool operator==(const Build&) const = default;
};

}  // namespace tocuda
