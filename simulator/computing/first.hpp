// tocuda, Apache-2.0.
// Operators that are computed instead of being run on the simulated GPU.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string_view>

namespace tocuda::computing {

// if_large: with many elements its CUDA path acts on what its first kernel wrote. for_sizes: its CUDA path reads sizes
// back that depend on values. always: it needs cuFFT, cuSOLVER or cuSPARSE; it compiles its kernel when it is called,
// which takes half a minute for nothing; or operators within it use what its kernels did not make, or change what it is
// computed from. if_complex: it compiles a kernel for complex numbers.
enum class First { never, if_complex, if_large, always, for_sizes };

First computed_first(const c10::OperatorHandle& op, c10::DispatchKey key);

// Whether this call of an operator that is computed first `if_large` has as many elements.
bool is_large(std::string_view name, c10::ArrayRef<c10::IValue> arguments);

// What the CUDA kernel of _fused_moving_avg_obs_fq_helper does before it computes: whoever computes it would otherwise
// find its arguments changed.
void make_room(c10::ArrayRef<c10::IValue> arguments);

// Whether cuSOLVER or the batched functions of cuBLAS compute it on a GPU. Those take no half precision.
bool is_linear_algebra(std::string_view name);

// Throws if tensors of the call are on different devices, as the CUDA kernel does. Most kernels take a number from the
// CPU; `strict` ones do not.
void require_one_device(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, bool strict);

// Whether an error says that a library or a compiler of NVIDIA's does not work on simulated GPUs.
bool lacks_a_library(const std::exception& error);

// What only the CUDA path of an operator refuses, for the operators that are computed instead of it.

// Throws what the CUDA path would throw; throws, or warns, if it would have because the program asked for deterministic
// algorithms.
void refuse_as_on_gpu(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

}  // namespace tocuda::computing
