// tocuda, Apache-2.0.
// Copies of page-locked memory from cudaHostAlloc by a copy engine: the reference for the other mechanisms.
#include "transfers/one_way.hpp"

namespace tocuda::transfers::pinned {
namespace {

Measurable pinned(Direction direction) {
    return {.benchmark = {.name = name_of(direction, "pinned"),
                          .summary = std::string("copy page-locked memory ") + aim(direction),
                          .clock = Clock::device,
                          .parameters = {{"bytes", few_sizes()}},
                          .quick = {{"bytes", quick_sizes()}},
                          .full = {{"bytes", all_sizes()}},
                          .needs = {.gpus = 1}},
            .set_up = [=](const std::vector<Parameters>& sets) {
                return std::make_unique<QueuedCopy>(
                    sets, direction, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocDefault); });
            }};
}

const RegisteredBenchmark to_the_gpu{pinned(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{pinned(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::transfers::pinned
