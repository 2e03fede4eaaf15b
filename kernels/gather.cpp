// tocuda, Apache-2.0.
// The gathering kernel of load/tensors, compiled for the GPU and for the CPU.
#include "kernels/gather.hpp"

#include "kernels/memory_access.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::gather {

// Blocks take segments in turns; the threads of a block copy neighbouring words.
struct Gather {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, Gathered what) const {
        for (std::size_t number = block.block; number < what.count; number += block.blocks) {
            const auto segment = what.segments[number];
            const auto* const from = reinterpret_cast<const Vector16*>(segment.from);
            auto* const to = reinterpret_cast<Vector16*>(segment.to);
            for (std::size_t i = block.thread; i < segment.bytes / sizeof(Vector16); i += block.threads)
                to[i] = from[i];
        }
    }

    static constexpr Touched touched(const Gathered& what) {
        return {.written = what.target, .bytes_written = what.bytes, .read = what.source, .bytes_read = what.bytes};
    }
};

}  // namespace kernels::gather

void launch_gather(const Stream& stream, const Gathered& what, unsigned multiprocessors) {
    launch(stream, {.blocks = 4 * multiprocessors, .threads = 512, .bytes_touched = 2 * what.bytes},
           kernels::gather::Gather{}, what);
}

}  // namespace tocuda
