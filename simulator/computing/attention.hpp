// tocuda, Apache-2.0.
// Attention as plain matrix products, for the fused kernels that only GPUs have. Their logsumexp is not given: the
// backward pass computes the weights again.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/stack.h>

namespace tocuda::computing {

torch::jit::Stack efficient_attention(const torch::jit::Stack& arguments);
torch::jit::Stack efficient_attention_backward(const torch::jit::Stack& arguments);
torch::jit::Stack flash_attention(const torch::jit::Stack& arguments);
torch::jit::Stack flash_attention_backward(const torch::jit::Stack& arguments);

// These draw from `Numbers`, and return where from, so that the backward pass drops the same weights.
torch::jit::Stack efficient_attention_with_dropout(const torch::jit::Stack& arguments, const at::Generator& numbers);
torch::jit::Stack flash_attention_with_dropout(const torch::jit::Stack& arguments, const at::Generator& numbers);

}  // namespace tocuda::computing
