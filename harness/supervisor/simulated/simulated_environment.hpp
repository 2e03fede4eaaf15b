// tocuda, Apache-2.0.
// What a program needs in its environment to run on simulated GPUs.
#pragma once

#include <filesystem>

#include "model/scenario.hpp"

namespace tocuda {

bool can_simulate();  // whether this build has simulated GPUs

// Changes to the environment of this process. Everything that the program starts inherits them.
Environment simulated_environment(const std::filesystem::path& machine, bool computes);

// CUDA_VISIBLE_DEVICES is left as it is, and holds for simulated GPUs as for real ones: says so if it is set.
void say_what_is_visible();

}  // namespace tocuda
