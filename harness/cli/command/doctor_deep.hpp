// tocuda, Apache-2.0.
// `doctor --deep`: starts workers that use the GPUs, one at a time, each with a deadline.
#pragma once

#include <string>

#include "doctor/deep.hpp"

namespace tocuda {

struct DeepRequest {
    std::string simulation{};  // SPEC; empty: the real GPUs
    double seconds = 60;       // deadline of each process
};

// Only for a machine without a fault.
doctor::DeepSeen look_deep(const doctor::Seen& seen, const DeepRequest& how);

}  // namespace tocuda
