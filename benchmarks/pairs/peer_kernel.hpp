// tocuda, Apache-2.0.
// The kernels that copy between two GPUs: the variant chosen for peers or, for few bytes, for small copies; and the one
// whose copies go through shared memory in bulk (TMA).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "kernels/copy_choice.hpp"
#include "kernels/kernel.hpp"
#include "measurement/chosen_variant.hpp"

namespace tocuda {

inline constexpr const char* bulk_kernel = "copy/device_to_device/tma_bulk";

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

inline Setting setting_of_bulk_kernel(const GpuFacts& gpu, std::size_t bytes) {
    Setting setting{{{"bytes", bytes}}, gpu};
    for (const auto& [name, values] : kernel_named(bulk_kernel).parameters)
        if (!values.empty()) setting.set.emplace(name, values.front());
    return setting;
}
inline std::string why_no_bulk_kernel(const GpuFacts& gpu, std::size_t bytes) {
    return why_skipped(kernel_named(bulk_kernel), setting_of_bulk_kernel(gpu, bytes));
}
inline std::function<void(const Stream&)> bulk_peer_kernel(const GpuFacts& gpu, std::byte* to, std::byte* from,
                                                           std::size_t bytes) {
    const auto copy = kernel_named(bulk_kernel).operation(setting_of_bulk_kernel(gpu, bytes));
    return [=](const Stream& on) { copy(on, {to, from}); };
}

}  // namespace tocuda
