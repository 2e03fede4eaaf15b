// tocuda, Apache-2.0.
// Operators that have no CPU kernel under their own name, and what computes the same on the CPU.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>
#include <c10/core/DispatchKey.h>

#include <optional>

namespace tocuda::computing {

// Takes the arguments, returns the results.
using Equivalent = torch::jit::Stack (*)(const torch::jit::Stack& arguments);

// Null if the CPU has a kernel of that name.
Equivalent equivalent_of(const c10::OperatorName& name, c10::DispatchKey key);

// An optional tensor.
std::optional<at::Tensor> tensor_if(const c10::IValue& value);
at::Tensor tensor_or_none(const c10::IValue& value);  // undefined if there is none

}  // namespace tocuda::computing
