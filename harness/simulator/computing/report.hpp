// tocuda, Apache-2.0.
// Counts what was computed and what was not.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <vector>

#include "simulation.h"

namespace tocuda::computing {

void report_computed();

// Says why, once for each operator, and taints the memory that it would have written.
void report_not_computed(const c10::OperatorHandle& op, const char* why, const std::vector<tocuda_touch>& touches);

// Lets the summary know how much LibTorch's allocator has given out.
void watch_allocator();

}  // namespace tocuda::computing
