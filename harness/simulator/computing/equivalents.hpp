// tocuda, Apache-2.0.
// Operators that have no CPU kernel under their own name, and what computes the same on the CPU.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

namespace tocuda::computing {

// Takes the arguments, returns the results.
using Equivalent = torch::jit::Stack (*)(const torch::jit::Stack& arguments);

// Null if the CPU has a kernel of that name.
Equivalent equivalent_of(const c10::OperatorName& name);

// An optional tensor: undefined if there is none.
at::Tensor tensor_or_none(const c10::IValue& value);

}  // namespace tocuda::computing
