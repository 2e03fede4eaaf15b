// tocuda, Apache-2.0.
// Calls an operator on the CPU, as if nothing but its kernel existed: no autograd, autocast or modes of Python.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>

#include "computing/numbers.hpp"
#include "computing/quiet.hpp"

namespace tocuda::computing {

// In its scope LibTorch calls kernels and nothing else.
class OnlyKernels {
    c10::impl::ForceDispatchKeyGuard keys_;
    c10::NoGradGuard no_grad_;
    at::DisableRecordFunctionGuard not_recorded_;
    Quiet quiet_;

public:
    OnlyKernels();
};

// Replaces the arguments on the stack by the results. Throws what the kernel throws.
void call_on_host(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::optional<Draw>& draw);

// Whether the current stream is being captured.
bool is_capturing();

}  // namespace tocuda::computing
