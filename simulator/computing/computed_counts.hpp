// tocuda, Apache-2.0.
// Counts what was computed and what was not.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <exception>
#include <vector>

#include "simulator/schema/simulation.h"

namespace tocuda::computing {

void report_computed();

// Says why, once for each operator, and taints the memory that it would have written.
void report_not_computed(const c10::OperatorHandle& op, const char* why, const std::vector<tocuda_touch>& touches);

// Says, once for each operator, that it needs a library of NVIDIA's which is not simulated.
void say_what_is_lacking(const c10::OperatorHandle& op);

// Ends the context if a GPU's kernel would have: for an index out of range, a wrong class, a probability that is none
// or a failed _assert_async.
// Returns whether it did.
bool report_failed_assertion(const c10::OperatorHandle& op, const std::exception& error);

// Lets the summary know how much LibTorch's allocator has given out, and records what it does if that is wanted.
void watch_allocator();

}  // namespace tocuda::computing
