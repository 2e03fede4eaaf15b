// tocuda, Apache-2.0.
// GPUs whose times can stand for one another's: what may differ is which piece it is, and where it stands. Texts as a run line has them.
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
