// tocuda, Apache-2.0.
// GPUs whose times can stand for one another's: what may differ is which piece it is, and where it stands. Pure.
#pragma once

#include <string>

#include "gathering/gathering.hpp"

namespace tocuda {

struct Cohort {
    std::string model{};
    std::string driver{};
    std::string vbios{};
    std::string power_limit{};

    auto operator<=>(const Cohort&) const = default;
};

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu);

}  // namespace tocuda
