// tocuda, Apache-2.0.
// Copies of write-combined page-locked memory, which the CPU writes past its caches. The direction to the host is
// measured too, although programs should not read such memory on the CPU.
#include "benchmarks/copy/one_way.hpp"

namespace tocuda::benchmarks::write_combined {
namespace {

const RegisteredEachWay registered{
    {.name = "write_combined",
     .summary = "copy page-locked, write-combined memory",
     .clock = Clock::device,
     .parameters = {{"bytes", {}}},
     .quick = {{"bytes", {}}},
     .full = {{"bytes", all_sizes()}}},
    [](const std::vector<Parameters>& sets, Direction way) -> std::unique_ptr<Bench> {
        return std::make_unique<QueuedCopy>(
            sets, way, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocWriteCombined); },
            Look::by_the_gpu);
    }};

}  // namespace
}  // namespace tocuda::benchmarks::write_combined
