// tocuda, Apache-2.0.
// One call of an operator whose CUDA kernels were not executed: computes it with the CPU's kernel over the same bytes,
// as one operation of the stream.
#pragma once

#include <ATen/core/stack.h>

#include <optional>

#include "computing/host_call.hpp"
#include "computing/numbers.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::computing {

// Puts something to compute into the device's current stream.
void submit(int device, const tocuda_computation& what);

// Computes a call that has returned: `arguments` as it was called, its results on top of the stack, `draw` from before.
// Not if what they hold was `changed` meanwhile: then its results are announced as not computed.
void compute_after(const HostCall& on_host, const torch::jit::Stack& arguments, const torch::jit::Stack& stack,
                   const std::optional<Draw>& draw, bool changed = false);

// Computes a call instead of its CUDA kernel, because that would read sizes back that nothing has computed, or needs a
// library that simulated GPUs do not have. Replaces the arguments on the stack by the results.
void compute_instead(const HostCall& on_host, torch::jit::Stack* stack, bool sizes_depend_on_values,
                     const std::optional<Draw>& draw);

}  // namespace tocuda::computing
