// tocuda, Apache-2.0.
// What SyncBatchNorm calls on a GPU, and the CPU has no kernels for.
#pragma once

#include <ATen/core/stack.h>

namespace tocuda::computing {

torch::jit::Stack channel_statistics(const torch::jit::Stack& given);      // batch_norm_stats
torch::jit::Stack gathered_statistics(const torch::jit::Stack& given);     // batch_norm_gather_stats*
torch::jit::Stack normalized(const torch::jit::Stack& given);              // batch_norm_elemt
torch::jit::Stack reduced_gradients(const torch::jit::Stack& given);       // batch_norm_backward_reduce
torch::jit::Stack gradient_of_normalized(const torch::jit::Stack& given);  // batch_norm_backward_elemt
torch::jit::Stack rms_norm_backward(const torch::jit::Stack& given);       // _fused_rms_norm_backward

}  // namespace tocuda::computing
