// tocuda, Apache-2.0.
// Copies one element of 1, 4 or 8 bytes per thread, as naive code does.
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

// Kernel.
template <class Element>
struct ScalarCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;

    static constexpr Grid grid(std::size_t bytes) {
        return {.blocks = blocks_for(parts(bytes, threads * sizeof(Element))),
                .threads = threads,
                .bytes_touched = 2 * bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Element, 1, Hint::plain>(block, threads, to, from, bytes);
    }
};

}  // namespace tocuda
