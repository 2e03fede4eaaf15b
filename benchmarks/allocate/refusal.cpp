// tocuda, Apache-2.0.
// Requests more memory than the GPU has. Measures what the refusal costs a program that catches it, and checks that the
// program can continue.
#include <memory>
#include <stdexcept>

#include "benchmarks/allocate/allocation_bench.hpp"
#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda::benchmarks::refusal {
namespace {

std::size_t all_device_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    require("cudaMemGetInfo", cudaMemGetInfo(&free, &total));
    return total;
}

void expect_refusal(const char* call, cudaError_t answer, void* granted) {
    static_cast<void>(cudaGetLastError());  // cleared, as in a program that catches it and continues
    if (answer == cudaErrorMemoryAllocation) return;
    require(call, answer);
    cudaFree(granted);
    throw std::runtime_error(std::string(call) + " granted more memory than the GPU has");
}

class Refused final : public Bench {
public:
    Trial trial(const Parameters& set) override {
        const bool pooled = text(set, "through") == "cudaMallocAsync";
        const auto ask = [this, pooled] { pooled ? ask_the_pool() : ask_the_runtime(); };
        return {
            .compared =
                "the request fails for lack of memory, and a small allocation afterwards holds what is written to it",
            .differs =
                [this, ask] {
                    ask();
                    const DeviceMemory small(small_bytes);
                    return wrong_for_the_gpu(small.get(), small_bytes, stream);
                },
            .timing = Called{ask}};
    }

private:
    static constexpr std::size_t small_bytes = std::size_t{1} << 20;

    void ask_the_runtime() const {
        void* granted = nullptr;
        const auto answer = cudaMalloc(&granted, too_much);
        expect_refusal("cudaMalloc", answer, granted);
    }
    void ask_the_pool() const {
        void* granted = nullptr;
        const auto answer = cudaMallocAsync(&granted, too_much, stream.get());
        expect_refusal("cudaMallocAsync", answer, granted);
        stream.synchronize();
    }

    Stream stream{};
    const std::size_t too_much = all_device_bytes() + (std::size_t{1} << 30);
};

const RegisteredBenchmark refused{{
    .benchmark = {.name = "allocate/refused",
                  .summary = "request more memory than the GPU has, and catch the failure",
                  .clock = Clock::host,
                  .parameters = {{"through", {}}},
                  .quick = {{"through", {}}},
                  .full = {{"through", {"cudaMalloc", "cudaMallocAsync"}}},
                  .needs = {.gpus = 1}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Refused>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::refusal
