// tocuda, Apache-2.0.
// Tries each way to a GPU once: is_available(), moves, and a factory call. With a broken driver they fail with two
// families of messages: LibTorch's own (with an index, or in a factory) and the runtime's (without an index).
#pragma once

#include <string>

#include "model/evidence.hpp"
#include "worker/observer.hpp"

namespace tocuda {

void observe_entry_points(Observer& see);

// For judges: true if every explicit way to the GPU threw.
bool every_way_threw(const Evidence& evidence);
// Returns the first clause of a message, of at most 48 characters.
std::string opening(const std::string& message);
// "every way throws error 35, \"Found no NVIDIA driver on your system\"", or "to(cuda:0) did not throw"
std::string ways_in_words(const Evidence& evidence);

}  // namespace tocuda
