// tocuda, Apache-2.0.
// Creates byte tensors that hold the payload and checks them after a copy.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <string>

namespace tocuda {

enum class Pages { pageable, pinned };

at::Tensor payload_tensor(std::size_t bytes, Pages pages = Pages::pageable);  // on the CPU
at::Tensor first(const at::Tensor& tensor, std::size_t bytes);                // a view of its first bytes

// Compares on the CPU, wherever the tensor is. Empty if it holds the payload.
std::string unlike_payload(const at::Tensor& found, std::size_t bytes);
std::string unlike_payload(const std::byte* found, std::size_t bytes);

// Waits until all work in LibTorch's current stream has ended.
void until_done();

}  // namespace tocuda
