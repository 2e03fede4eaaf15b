// tocuda, Apache-2.0.
// The kernel that copies between two GPUs: the variant chosen for peers or, for few bytes, for small copies.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/copy_choice.hpp"
#include "kernels/kernel.hpp"
#include "measurement/chosen_variant.hpp"

namespace tocuda {

// Queues the copy in a stream of the GPU with these facts.
inline std::function<void(const Stream&)> peer_kernel(const GpuFacts& gpu, std::byte* to, std::byte* from,
                                                      std::size_t bytes) {
    const bool small = copy_operation(gpu, bytes) == "copy_small";
    const auto& chosen = chosen_variant(small ? "copy_small" : "peer_copy", gpu.compute_capability);
    auto set = parameters_of(chosen);
    set["bytes"] = bytes;
    const auto copy = kernel_named("copy/device_to_device/" + std::string(chosen.variant)).operation({set, gpu});
    return [=](const Stream& on) { copy(on, {to, from}); };
}

}  // namespace tocuda
