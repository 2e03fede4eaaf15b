// tocuda, Apache-2.0.
// Calls an operator on the CPU, as if nothing but its kernel existed: no autograd, autocast or modes of Python.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <optional>

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

// Where the GPU's generator stood before the call: the CPU draws from a generator with a seed that follows from it, so
// that the numbers follow from torch.manual_seed, and the CPU's own generator stays as it was.
struct Draw {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;
    bool each_time_anew = false;  // captured: each launch of the graph draws other numbers
};

// Replaces the arguments on the stack by the results. Throws what the kernel throws.
void call_on_host(const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::optional<Draw>& draw);

// Where the generator of a GPU stands.
Draw where_drawing_stands(const std::optional<at::Generator>& named, int device);

// Whether the current stream is being captured.
bool is_capturing();

bool draws(const c10::OperatorHandle& op);

}  // namespace tocuda::computing
