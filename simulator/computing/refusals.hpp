// tocuda, Apache-2.0.
// What only the CUDA path of an operator refuses, for the operators that are computed instead of it.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace tocuda::computing {

// Throws what the CUDA path would throw; throws, or warns, if it would have because the program asked for deterministic
// algorithms.
void refuse_as_on_gpu(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

}  // namespace tocuda::computing
