// tocuda, Apache-2.0.
#pragma once

#include <optional>
#include <string>

namespace tocuda {

// Starts a process that asks for the UUID of the GPU that new processes use, so that this one need not use it. Throws
// if there is none.
std::string gpu_of_new_process();

// If this process was started for that, or to create and destroy a context, does so, answers, and returns its exit
// code; otherwise returns nullopt.
std::optional<int> answered_as_context(int count, char** arguments);

}  // namespace tocuda
