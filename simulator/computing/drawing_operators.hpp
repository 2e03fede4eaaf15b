// tocuda, Apache-2.0.
// Operators that draw the numbers that a GPU draws: the same words of its generator's stream, for the same elements.
// The order is that of the threads of LibTorch's CUDA kernels.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

namespace tocuda::computing {

// Takes the arguments and `Numbers`, returns the results.
using Drawn = torch::jit::Stack (*)(const torch::jit::Stack& arguments, const at::Generator& numbers);

// Null if the operator's order of drawing is not reproduced.
Drawn drawn_as_on_gpu(const c10::OperatorName& name);

// ATen/native/cuda/DistributionTemplates.h: bernoulli_tensor_cuda_kernel.
at::Tensor keep_with_probabilities(const at::Tensor& probabilities, const at::Generator& numbers);

// ATen/native/cuda/Dropout.cu.
torch::jit::Stack native_dropout(const torch::jit::Stack& arguments, const at::Generator& numbers);
torch::jit::Stack fused_dropout(const torch::jit::Stack& arguments, const at::Generator& numbers);

// ATen/native/cuda/Randperm.cu: sorts by random keys, and shuffles where keys are equal.
torch::jit::Stack random_permutation(const torch::jit::Stack& arguments, const at::Generator& numbers);

// Whole numbers of the type's range but for its highest.
void fill_with_keys(at::Tensor& keys, const at::Generator& numbers);

}  // namespace tocuda::computing
