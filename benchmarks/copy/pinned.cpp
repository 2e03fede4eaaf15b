// tocuda, Apache-2.0.
// Copies of page-locked memory from cudaHostAlloc by a copy engine: the reference for the other mechanisms.
#include "benchmarks/copy/one_way.hpp"

namespace tocuda::benchmarks::pinned {
namespace {

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
                                   }};

}  // namespace
}  // namespace tocuda::benchmarks::pinned
