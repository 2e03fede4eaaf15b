// tocuda, Apache-2.0.
// A process that finds out whether what the first of its GPUs sends to the second arrives there. It writes lines of a
// key and a value to descriptor 3, the name of each step before it begins, so that a hang shows where it happened.
#pragma once

#include <optional>

namespace tocuda {

// If this process was started as one ("peer-truth SEED"), looks and returns its exit code; otherwise returns nullopt.
std::optional<int> answered_as_peer_truth(int count, char** arguments);

}  // namespace tocuda
