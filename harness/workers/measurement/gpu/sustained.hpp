// tocuda, Apache-2.0.
// Keeps a GPU busy with one operation for a minute or so, and tells how long it took in each second.
#pragma once

#include <functional>

#include "measurement/trial.hpp"

namespace tocuda {

// Queues the operation back to back until it has run for `sustained.seconds` by the GPU's clock. After each second,
// and while the next one runs, calls `each_second` with the mean time of an operation in it. `seconds`: what one
// operation is expected to take. Returns whether the GPU never ran out of operations.
bool sustain(const Queued& sustained, double seconds, const std::function<void(double)>& each_second);

}  // namespace tocuda
