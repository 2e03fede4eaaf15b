// tocuda, Apache-2.0.
// Convolutions of the CUDA path without cuDNN, computed by the CPU's fastest kernel. The CPU has kernels of the same
// names, but they are many times slower, and round half precision after each step.
#pragma once

#include <ATen/core/stack.h>

namespace tocuda::computing {

torch::jit::Stack convolution(const torch::jit::Stack& given);           // _slow_conv2d_forward
torch::jit::Stack convolution_backward(const torch::jit::Stack& given);  // _slow_conv2d_backward.output_mask
torch::jit::Stack dilated_convolution(const torch::jit::Stack& given);   // slow_conv_dilated*, *conv_depthwise*
torch::jit::Stack transposed_convolution(const torch::jit::Stack& given);

}  // namespace tocuda::computing
