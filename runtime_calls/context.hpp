// tocuda, Apache-2.0.
#pragma once

#include <optional>

namespace tocuda {

// If this process was started to create and destroy a context, does so, answers, and returns its exit code; otherwise
// returns nullopt.
std::optional<int> answered_as_context(int count, char** arguments);

}  // namespace tocuda
