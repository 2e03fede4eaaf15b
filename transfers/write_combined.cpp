// tocuda, Apache-2.0.
// Copies of write-combined page-locked memory, which the CPU writes past its caches. The direction to the host is
// measured too, although programs should not read such memory on the CPU.
#include "transfers/one_way.hpp"

namespace tocuda::transfers::write_combined {
namespace {

Measurable write_combined(Direction direction) {
    return {.benchmark = {.name = name_of(direction, "write_combined"),
                          .summary = std::string("copy page-locked, write-combined memory ") + aim(direction),
                          .clock = Clock::device,
                          .parameters = {{"bytes", {}}},
                          .quick = {{"bytes", {}}},
                          .full = {{"bytes", all_sizes()}},
                          .needs = {.gpus = 1}},
            .set_up = [=](const std::vector<Parameters>& sets) {
                return std::make_unique<QueuedCopy>(
                    sets, direction, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocWriteCombined); },
                    Look::by_the_gpu);
            }};
}

const RegisteredBenchmark to_the_gpu{write_combined(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{write_combined(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::transfers::write_combined
