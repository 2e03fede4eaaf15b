// tocuda, Apache-2.0.
// Writes the payload into tensors and checks it in their memory.
#include "framework/tensors.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

#include "measurement/cuda_error.hpp"
#include "measurement/payload.hpp"

namespace tocuda {

at::Tensor payload_tensor(std::size_t bytes, Pages pages) {
    const auto options = at::TensorOptions().dtype(at::kByte).pinned_memory(pages == Pages::pinned);
    auto tensor = at::empty({static_cast<std::int64_t>(bytes)}, options);
    write_payload(std::span(static_cast<std::byte*>(tensor.mutable_data_ptr()), bytes), 0);
    return tensor;
}

at::Tensor first(const at::Tensor& tensor, std::size_t bytes) {
    return tensor.narrow(0, 0, static_cast<std::int64_t>(bytes));
}

std::string unlike_payload(const std::byte* found, std::size_t bytes) {
    const auto place = first_unlike_payload(std::span(found, bytes), 0);
    return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) + " differs" : "";
}

std::string unlike_payload(const at::Tensor& found, std::size_t bytes) {
    if (found.nbytes() != bytes) return std::to_string(found.nbytes()) + " bytes instead of " + std::to_string(bytes);
    const auto here = found.cpu();
    return unlike_payload(static_cast<const std::byte*>(here.const_data_ptr()), bytes);
}

// LibTorch's current stream is the default stream, because these benchmarks never choose another.
void until_done() { require("cudaStreamSynchronize", cudaStreamSynchronize(nullptr)); }

}  // namespace tocuda
