// tocuda, Apache-2.0.
// Operators that have no CPU kernel under their own name, and what computes the same on the CPU.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>
#include <c10/core/DispatchKey.h>

#include <optional>
#include <string>

namespace tocuda::computing {

// Takes the arguments, returns the results.
using Equivalent = torch::jit::Stack (*)(const torch::jit::Stack& arguments);

// Null if the CPU has a kernel of that name.
Equivalent equivalent_of(const c10::OperatorName& name, c10::DispatchKey key);

// An optional tensor.
std::optional<at::Tensor> tensor_if(const c10::IValue& value);
at::Tensor tensor_or_none(const c10::IValue& value);  // undefined if there is none

// Convolutions of the CUDA path without cuDNN, computed by the CPU's fastest kernel. The CPU has kernels of the same
// names, but they are many times slower, and round half precision after each step.

torch::jit::Stack convolution(const torch::jit::Stack& given);           // _slow_conv2d_forward
torch::jit::Stack convolution_backward(const torch::jit::Stack& given);  // _slow_conv2d_backward.output_mask
torch::jit::Stack dilated_convolution(const torch::jit::Stack& given);   // slow_conv_dilated*, *conv_depthwise*
torch::jit::Stack transposed_convolution(const torch::jit::Stack& given);

// Linear algebra that the CPU refuses and a GPU computes, or the other way round.

torch::jit::Stack singular_values(const torch::jit::Stack& arguments);
torch::jit::Stack lu_factors(const torch::jit::Stack& arguments);
torch::jit::Stack lu_parts(const torch::jit::Stack& arguments);
torch::jit::Stack inverse_of_factor(const torch::jit::Stack& arguments);
torch::jit::Stack least_squares(const torch::jit::Stack& arguments);

// What SyncBatchNorm calls on a GPU, and the CPU has no kernels for.

torch::jit::Stack channel_statistics(const torch::jit::Stack& given);      // batch_norm_stats
torch::jit::Stack gathered_statistics(const torch::jit::Stack& given);     // batch_norm_gather_stats*
torch::jit::Stack normalized(const torch::jit::Stack& given);              // batch_norm_elemt
torch::jit::Stack reduced_gradients(const torch::jit::Stack& given);       // batch_norm_backward_reduce
torch::jit::Stack gradient_of_normalized(const torch::jit::Stack& given);  // batch_norm_backward_elemt
torch::jit::Stack rms_norm_backward(const torch::jit::Stack& given);       // _fused_rms_norm_backward

// Operators whose kernels on a GPU take arguments that the CPU's kernels refuse, or read otherwise.

// Null if an operator, named with its overload, is none of them.
Equivalent permissive_equivalent_of(const std::string& name);

}  // namespace tocuda::computing
