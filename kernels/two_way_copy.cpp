// tocuda, Apache-2.0.
// The kernel that copies both ways, compiled for the GPU and for the CPU.
#include "kernels/two_way_copy.hpp"

#include <array>

#include "kernels/tiles.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace kernels::two_way_copy {

// Warps take turns, so that each multiprocessor always copies in both directions.
struct TwoWayCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;
    static constexpr unsigned warp = 32;
    static constexpr std::size_t tile = std::size_t{threads} / 2 * in_flight * sizeof(Vector16);

    static constexpr std::array<Touched, 2> touched(const TwoCopies& what) {
        return {touched_by_copy(what.to[0], what.from[0], what.bytes),
                touched_by_copy(what.to[1], what.from[1], what.bytes)};
    }

    template <class Block>
    constexpr void operator()(Block& block, TwoCopies what) const {
        struct Half {
            unsigned thread;
            unsigned threads;
            unsigned block;
            unsigned blocks;
        };
        const auto number = block.thread / warp;
        const Half half{number / 2 * warp + block.thread % warp, threads / 2, block.block, block.blocks};
        const bool second = number % 2 != 0;
        copy_cut<Vector16, in_flight, Hint::plain>(half, threads / 2, second ? what.to[1] : what.to[0],
                                                   second ? what.from[1] : what.from[0], what.bytes);
    }
};

}  // namespace kernels::two_way_copy

void launch_two_copies(const Stream& stream, const TwoCopies& what, unsigned blocks) {
    using Body = kernels::two_way_copy::TwoWayCopy;
    auto grid = grid_over(what.bytes, Body::tile, Body::threads, 4 * what.bytes);
    if (blocks != 0) grid.blocks = blocks;
    launch(stream, grid, Body{}, what);
}

}  // namespace tocuda
