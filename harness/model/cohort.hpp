// tocuda, Apache-2.0.
// GPUs whose times are interchangeable: only the individual GPU and its location differ. The texts are
// those of the `run` line.
#pragma once

#include <string>

namespace tocuda {

struct Cohort {
    std::string model{};
    std::string driver{};
    std::string vbios{};
    std::string power_limit_w{};

    auto operator<=>(const Cohort&) const = default;
};

}  // namespace tocuda
