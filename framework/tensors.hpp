// tocuda, Apache-2.0.
// Tensors of bytes that hold the payload, and the look at what became of them.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <string>

namespace tocuda {

enum class Pages { pageable, pinned };

at::Tensor payload_tensor(std::size_t bytes, Pages pages = Pages::pageable);  // on the CPU
at::Tensor first(const at::Tensor& tensor, std::size_t bytes);                // a view of so many of its bytes

// Wherever it lies, it is looked at on the CPU. Empty where it is the payload.
std::string unlike_payload(const at::Tensor& found, std::size_t bytes);
std::string unlike_payload(const std::byte* found, std::size_t bytes);

// Until everything that LibTorch has put into its current stream has ended.
void until_done();

}  // namespace tocuda
