// tocuda, Apache-2.0.
// Times the caching allocator against cudaMalloc and cudaFree: for a block in its cache, for one that is not, for one
// that requires freeing others, and for one that it cannot get.
#include <c10/util/Exception.h>

#include "benchmarks/framework/two_ways.hpp"
#include "libtorch/allocator.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"
#include "measurement/room.hpp"

namespace tocuda::framework::allocation {
namespace {

at::Tensor block(std::size_t bytes) {
    return at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
}

std::size_t granules(std::size_t bytes) { return allocated_bytes({std::max<std::size_t>(bytes, 1)}); }

// Returns whether LibTorch refuses the block with its own out-of-memory error.
bool refused(std::size_t bytes) {
    try {
        block(bytes);
    } catch (const c10::OutOfMemoryError&) {
        return true;
    }
    return false;
}

bool refused_by_runtime(std::size_t bytes) {
    void* fresh = nullptr;
    if (const auto error = cudaMalloc(&fresh, bytes); error == cudaSuccess) cudaFree(fresh);
    else return cudaGetLastError() == cudaErrorMemoryAllocation;  // cleared, or the next call would return it too
    return false;
}

// LibTorch keeps smaller blocks in shared segments, so a request for one never has to free others.
constexpr std::size_t retry_least = std::size_t{32} << 20;

class Blocks final : public TwoWays {
public:
    Blocks() : TwoWays(times(0, 3), 0), free(free_device_bytes()) {
        block(1);  // creates the context and whatever LibTorch allocates with its first block
        empty_cache();
    }

    std::string why_skipped(const Parameters& set) const override {
        if (text(set, "cache") == "retry" && bytes_of(set) < retry_least)
            return "at least " + std::to_string(retry_least) + " bytes are needed for a retry; this set has " +
                   std::to_string(bytes_of(set));
        return TwoWays::why_skipped(set);
    }

protected:
    TimedWay by_libtorch(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        allow_everything();
        const auto state = text(set, "cache");
        if (state == "too_large")
            return way_of([this] { return refused(free + granules(1)); }, [] {},
                          "that an out-of-memory error was thrown");
        if (state == "hit")
            return way_of([bytes] { return block(bytes).nbytes() == bytes; }, [bytes] { block(bytes); }, "its size");
        if (state == "miss")
            return way_of([bytes] { return block(bytes).nbytes() == bytes; }, [] { empty_cache(); }, "its size");
        return way_of(
            [bytes] {
                const auto before = allocator_figures().retries;
                return block(bytes).nbytes() == bytes && allocator_figures().retries > before;
            },
            [bytes] { crowd(bytes); }, "its size, and that the allocator counted a retry");
    }

    TimedWay by_runtime(const Parameters& set) override {
        if (text(set, "cache") == "too_large")
            return way_of([this] { return refused_by_runtime(free + granules(1)); }, [] { empty_cache(); },
                          "that the request fails");
        return way_of(
            [bytes = granules(bytes_of(set))] {
                void* fresh = nullptr;
                if (cudaMalloc(&fresh, bytes) != cudaSuccess) return false;
                return cudaFree(fresh) == cudaSuccess;
            },
            [] { empty_cache(); }, "that both succeed");
    }

    Peak peak() const override { return {}; }

private:
    static TimedWay way_of(std::function<bool()> once, std::function<void()> prepare, const std::string& compared) {
        return {.prepare = prepare,
                .call = [once] { once(); },
                .compared = compared,
                .differs = [once, prepare]() -> std::string {
                    prepare();
                    return once() ? "" : "the call did not do what is compared";
                }};
    }

    // A cap of 1 means no cap; each cap stays until it is replaced.
    static void allow_everything() {
        std::size_t free_now = 0;
        std::size_t total = 0;
        require("cudaMemGetInfo", cudaMemGetInfo(&free_now, &total));
        cap_memory(static_cast<std::int64_t>(total) - 1);
    }

    // Fills the cache with blocks that are too small, under a cap that leaves no room for anything else.
    static void crowd(std::size_t bytes) {
        empty_cache();
        cap_memory(static_cast<std::int64_t>(granules(bytes) + granules(bytes) / 2 + 2 * allocation_granule));
        const auto half = granules(bytes) / 2;
        const auto one = block(half);
        const auto other = block(half);
    }

    std::size_t free;
};

const RegisteredBenchmark allocate{
    {.benchmark = described_two_ways(
         "allocate", "allocate a block with the caching allocator, compared with cudaMalloc and cudaFree",
         {{"bytes", {}}, {"cache", {"hit", "miss", "retry", "too_large"}}}, few_sizes()),
     .set_up = [](const std::vector<Parameters>&) { return std::make_unique<Blocks>(); }}};

}  // namespace
}  // namespace tocuda::framework::allocation
