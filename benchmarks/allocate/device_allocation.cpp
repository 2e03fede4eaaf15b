// tocuda, Apache-2.0.
// Allocates the GPU's memory with cudaMalloc and cudaFree, and in stream order from a pool that either keeps freed
// memory or has to request it again.
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "benchmarks/allocate/allocation_bench.hpp"
#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda::benchmarks::device_allocation {
namespace {

Room on_the_device(const Parameters& set) { return {.device_bytes = bytes_of(set)}; }

Allocator by_malloc(const std::shared_ptr<Stream>& stream) {
    return {.take =
                [](std::size_t bytes) {
                    void* fresh = nullptr;
                    require("cudaMalloc", cudaMalloc(&fresh, bytes));
                    return static_cast<std::byte*>(fresh);
                },
            .give_back = [](std::byte* memory, std::size_t) { require("cudaFree", cudaFree(memory)); },
            .what_is_wrong = [stream](std::byte* memory,
                                      std::size_t bytes) { return wrong_for_the_gpu(memory, bytes, *stream); }};
}

class Pool {
public:
    explicit Pool(bool keeps) {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        require("cudaGetDevice", cudaGetDevice(&properties.location.id));
        cudaMemPool_t fresh = nullptr;
        require("cudaMemPoolCreate", cudaMemPoolCreate(&fresh, &properties));
        handle.reset(fresh);
        auto kept = keeps ? std::numeric_limits<std::uint64_t>::max() : 0;
        require("cudaMemPoolSetAttribute", cudaMemPoolSetAttribute(fresh, cudaMemPoolAttrReleaseThreshold, &kept));
    }
    cudaMemPool_t get() const { return handle.get(); }
    void empty() const { require("cudaMemPoolTrimTo", cudaMemPoolTrimTo(get(), 0)); }

private:
    struct Destroy {
        void operator()(cudaMemPool_t pool) const { cudaMemPoolDestroy(pool); }
    };
    std::unique_ptr<std::remove_pointer_t<cudaMemPool_t>, Destroy> handle{};
};

// Each call is timed until the stream is idle: stream-ordered memory is available only then.
Allocator from_pool(const std::shared_ptr<Stream>& stream, bool keeps) {
    const auto pool = std::make_shared<Pool>(keeps);
    return {.take =
                [pool, stream](std::size_t bytes) {
                    void* fresh = nullptr;
                    require("cudaMallocFromPoolAsync",
                            cudaMallocFromPoolAsync(&fresh, bytes, pool->get(), stream->get()));
                    stream->synchronize();
                    return static_cast<std::byte*>(fresh);
                },
            .give_back =
                [stream](std::byte* memory, std::size_t) {
                    require("cudaFreeAsync", cudaFreeAsync(memory, stream->get()));
                    stream->synchronize();
                },
            .before_taking =
                [pool, keeps](std::size_t) {
                    if (!keeps) pool->empty();
                },
            .what_is_wrong = [stream](std::byte* memory,
                                      std::size_t bytes) { return wrong_for_the_gpu(memory, bytes, *stream); }};
}

bool has_pools() {
    int device = 0;
    int supported = 0;
    require("cudaGetDevice", cudaGetDevice(&device));
    require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    return supported != 0;
}

// Two pools: one emptied before each allocation, one that still holds the memory freed before.
class Pooled final : public Bench {
public:
    Pooled() : supported(has_pools()) {
        if (!supported) return;
        const auto stream = std::make_shared<Stream>();
        first = std::make_unique<Allocating>(on_the_device, from_pool(stream, false));
        warm = std::make_unique<Allocating>(on_the_device, from_pool(stream, true));
    }
    std::string why_skipped(const Parameters& set) const override {
        if (!supported) return "a GPU with memory pools is needed; this one has none";
        return of(set).why_skipped(set);
    }
    Trial trial(const Parameters& set) override { return of(set).trial(set); }

private:
    Allocating& of(const Parameters& set) const { return text(set, "pool") == "first" ? *first : *warm; }
    bool supported;
    std::unique_ptr<Allocating> first{};
    std::unique_ptr<Allocating> warm{};
};

Benchmark pool_benchmark() {
    auto benchmark =
        described_allocation("pool", "allocate GPU memory from a pool in stream order, and free it", {"both"});
    benchmark.role = {.sheet = {{.order = 350,
                                 .section = "call",
                                 .words = "cudaMallocAsync and free, warm pool",
                                 .having = "pool=warm step=both",
                                 .time = true}},
                      .characterise = {"bytes=64MiB"}};
    benchmark.parameters["pool"] = {"first", "warm"};
    benchmark.parameters["bytes"] = {};
    benchmark.cost.bytes = Handling::on_gpu;
    return benchmark;
}

Benchmark malloc_benchmark() {
    auto benchmark =
        described_allocation("device", "allocate GPU memory with cudaMalloc, and free it", {"take", "give_back"});
    benchmark.role = {
        .sheet = {{.order = 340, .section = "call", .words = "cudaMalloc", .having = "step=take", .time = true}},
        .characterise = {"bytes=64MiB"}};
    benchmark.cost.bytes = Handling::on_gpu;
    return benchmark;
}

const RegisteredBenchmark by_the_runtime{{
    .benchmark = malloc_benchmark(),
    .set_up =
        [](const std::vector<Parameters>&) {
            return std::make_unique<Allocating>(on_the_device, by_malloc(std::make_shared<Stream>()));
        },
}};
const RegisteredBenchmark by_a_pool{{
    .benchmark = pool_benchmark(),
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Pooled>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::device_allocation
