// tocuda, Apache-2.0.
// How long a flag is under way between the GPU and the host, which pass it to and fro.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/latency/flag_game.hpp"
#include "kernels/chase.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::latency_of_flag {
namespace {

bool in_own_memory(const Parameters& set) { return text(set, "flags") == "awaiting"; }

// A line of its own for the flag of each side. The host's is always in its memory.
class WithHost final : public FlagGame {
public:
    explicit WithHost(bool own)
        : of_gpu(own ? pageable_memory_of(PageSize::small, attribute(cudaDevAttrNumaId), line_bytes)
                     : pinned_memory(line_bytes, cudaHostAllocMapped)),
          of_host(pinned_memory(line_bytes, cudaHostAllocMapped)) {
        std::fill_n(of_gpu.get(), line_bytes, std::byte{0});
        std::fill_n(of_host.get(), line_bytes, std::byte{0});
        between_sides({.awaited = flag_at(own ? of_gpu.get() : as_the_gpu_sees(of_gpu.get())),
                       .sent = flag_at(as_the_gpu_sees(of_host.get())),
                       .beyond = of_host.get()},
                      {.awaited = flag_at(of_host.get()), .sent = flag_at(of_gpu.get())});
    }

private:
    // One thread of the host after the other, if several exchanges are queued.
    void queue(const Stream& first, const FlagExchange& both) override {
        host = std::jthread([both, before = std::move(host)]() mutable {
            if (before.joinable()) before.join();
            answer(both);
        });
        launch_first(first, both);
    }
    void wait_for_host() override {
        if (host.joinable()) host.join();
    }

    HostMemory of_gpu;
    HostMemory of_host;
    std::jthread host{};
};

class FlagToHost final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (in_own_memory(set) && attribute(cudaDevAttrNumaConfig) != cudaDeviceNumaConfigNumaNode)
            return "needs a GPU whose memory is a NUMA node; the driver says that this one's is not";
        return why_no_kernels_at_once();
    }

    Trial trial(const Parameters& set) override { return trial_of(std::make_shared<WithHost>(in_own_memory(set))); }
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "latency/flag",
                  .summary = "time until a flag that the GPU or the host sets is seen by the other",
                  .how = "a thread of the GPU, which begins, and one of the host " + how_flags_are_passed() +
                         ". With flags=host both flags are in page-locked host memory, so that the GPU looks at its "
                         "own over the link, and the time is the mean of two unequal ways; with flags=awaiting each is "
                         "in the memory of the side that awaits it, which needs a GPU whose memory is a NUMA node of "
                         "the host",
                  .clock = Clock::device,
                  .parameters = {{"flags", {}}},
                  .quick = {{"flags", {}}},
                  .full = {{"flags", {"host", "awaiting"}}},
                  .needs = {.gpus = 1},
                  .cost = {.bytes = Handling::few}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<FlagToHost>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::latency_of_flag
