// tocuda, Apache-2.0.
// Copies of page-locked memory from cudaHostAlloc by a copy engine: the reference for the other mechanisms.
#include "benchmarks/copy/one_way.hpp"

namespace tocuda::benchmarks::pinned {
namespace {

Role role(Direction way) {
    if (way == Direction::host_to_device)
        return {.sheet = {{.order = 120,
                           .section = "link",
                           .words = "to the GPU, pinned",
                           .figure = "host_to_device_bytes_per_second"},
                          {.order = 190,
                           .section = "link",
                           .words = "4 KiB to the GPU, pinned",
                           .having = "bytes=4096",
                           .time = true}},
                .characterise = {"bytes=4KiB,1MiB,64MiB,256MiB"},
                .headline = headline::to_gpu,
                .campaign = "rounds",
                .peers = {"nvbandwidth host_to_device_memcpy_ce"}};
    return {.sheet = {{.order = 130,
                       .section = "link",
                       .words = "to the host, pinned",
                       .figure = "device_to_host_bytes_per_second"}},
            .characterise = {"bytes=4KiB,1MiB,64MiB,256MiB"},
            .headline = headline::to_host,
            .campaign = "rounds",
            .peers = {"nvbandwidth device_to_host_memcpy_ce"}};
}

const RegisteredEachWay registered{{.name = "pinned",
                                    .summary = "copy page-locked memory",
                                    .clock = Clock::device,
                                    .parameters = {{"bytes", default_sizes()}},
                                    .quick = {{"bytes", quick_sizes()}},
                                    .full = {{"bytes", all_sizes()}}},
                                   [](const std::vector<Parameters>& sets, Direction way) -> std::unique_ptr<Bench> {
                                       return std::make_unique<QueuedCopy>(sets, way, [](std::size_t bytes) {
                                           return pinned_memory(bytes, cudaHostAllocDefault);
                                       });
                                   },
                                   role};

}  // namespace
}  // namespace tocuda::benchmarks::pinned
