// tocuda, Apache-2.0.
// The kernel that reads memory to have it in the L2 cache, compiled for the GPU and for the CPU.
#include "kernels/emptied_cache.hpp"

#include <algorithm>
#include <cstdint>

#include "measurement/block.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::emptied_cache {

struct ReadThrough {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    template <class Block>
    constexpr void operator()(Block& block, const volatile std::uint64_t* from, std::size_t count) const {
        const auto step = std::size_t{block.blocks} * threads;
        for (auto i = std::size_t{block.block} * threads + block.thread; i < count; i += step)
            static_cast<void>(from[i]);  // volatile: other loads whose values nobody uses are left out
    }
};

}  // namespace kernels::emptied_cache

EmptiedCache::EmptiedCache(std::size_t l2_bytes) : each(each_bytes(l2_bytes)) {}

std::size_t EmptiedCache::each_bytes(std::size_t l2_bytes) { return std::max(sizeof(std::uint64_t), 2 * l2_bytes); }

void EmptiedCache::empty(const Stream& stream) const {
    using kernels::emptied_cache::ReadThrough;
    require("cudaMemsetAsync", cudaMemsetAsync(memory.get(), 0, each, stream.get()));
    const auto count = each / sizeof(std::uint64_t);
    const auto blocks = std::min(parts(count, ReadThrough::threads), std::size_t{4096});
    launch(stream, {.blocks = static_cast<unsigned>(blocks), .threads = ReadThrough::threads, .bytes_touched = each},
           ReadThrough{}, reinterpret_cast<const volatile std::uint64_t*>(memory.get() + each), count);
}

}  // namespace tocuda
