// tocuda, Apache-2.0.
// The kernel that copies page-locked memory over the link, to the GPU or to the host.
#pragma once

#include <functional>

#include "benchmarks/copy/passage.hpp"
#include "kernels/kernel.hpp"

namespace tocuda {

// With `blocks` the persistent copy, as on a GPU that runs so many blocks at once.
inline std::function<void(const Stream&)> copy_over_link(const Passage& passage, const Parameters& set,
                                                         unsigned blocks = 0) {
    auto* const host = as_the_gpu_sees(passage.host());
    const bool up = passage.direction == Direction::host_to_device;
    const Arrays arrays = up ? Arrays{passage.device(), host} : Arrays{host, passage.device()};
    const auto& bytes = set.at("bytes");
    const auto copy =
        blocks == 0
            ? kernel_named("copy/device_to_device/unrolled")
                  .operation(
                      {{{"bytes", bytes}, {"in_flight", 8}, {"threads", 256}, {"hint", "plain"}, {"width", 16}}, {}})
            : kernel_named("copy/device_to_device/persistent")
                  .operation({{{"bytes", bytes}, {"blocks_each", 1}, {"hint", "plain"}, {"order", "interleaved"}},
                              {.multiprocessors = blocks}});
    return [=](const Stream& queue) { copy(queue, arrays); };
}

}  // namespace tocuda
