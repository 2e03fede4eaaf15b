// tocuda, Apache-2.0.
// Operators that have no CPU kernel under their own name, and what computes the same on the CPU.
#pragma once

#include <ATen/core/stack.h>

#include <functional>
#include <string>

namespace tocuda::computing {

// Replaces the arguments on the stack by the results.
using Equivalent = std::function<void(torch::jit::Stack&)>;

// Null if the CPU has a kernel of that name ("aten::add").
const Equivalent* equivalent_of(const std::string& name);

}  // namespace tocuda::computing
