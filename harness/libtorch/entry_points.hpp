// tocuda, Apache-2.0.
// The ways in to a GPU, each tried once: what `is_available` says, and what a move and a factory call do. On a machine whose driver is
// broken they end in two families of messages (with an index or a factory: LibTorch's own; without an index: the runtime's).
#pragma once

#include <string>

#include "model/evidence.hpp"
#include "worker/observer.hpp"

namespace tocuda {

void observe_entry_points(Observer& see);

// For judges: every explicit way in threw, and the tensor that was to be moved is still on the CPU.
bool every_way_threw(const Evidence& evidence);
// The first line of a message, and not all of a long one.
std::string opening(const std::string& message);
// "to(cuda) threw c10::AcceleratorError 35; to(cuda:0) threw c10::Error 'Found no NVIDIA driver...'"
std::string ways_in_words(const Evidence& evidence);

}  // namespace tocuda
