// tocuda, Apache-2.0.
// Writes memory without reading it. The words depend on their index, so that no two lines of memory are equal.
#pragma once

#include <cstring>
#include <span>

#include "kernels/tiles.hpp"

namespace tocuda {

// Returns the vector written at this index.
constexpr Vector16 written_vector(std::size_t place) {
    const auto word = static_cast<std::uint32_t>(place) * 2654435761U ^ static_cast<std::uint32_t>(place >> 32);
    return {{word, word ^ 0x9e3779b9U, ~word, word + 0x7f4a7c15U}};
}

// Reference: writes part of the result, starting at byte `place`.
inline void write_reference(std::span<std::byte> to, std::size_t place) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        const auto vector = written_vector((place + i) / sizeof(Vector16));
        std::memcpy(&to[i], reinterpret_cast<const std::byte*>(&vector) + (place + i) % sizeof(Vector16), 1);
    }
}

// Kernel. The target address is a multiple of 16.
template <Hint hint>
struct WriteAll {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;

    static constexpr Grid grid(std::size_t bytes) {
        return {.blocks = blocks_for(parts(bytes, threads * in_flight * sizeof(Vector16))),
                .threads = threads,
                .bytes_touched = bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, std::size_t bytes) const {
        const auto count = bytes / sizeof(Vector16);
        auto* vectors = reinterpret_cast<Vector16*>(to);
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile)
            for (unsigned i = 0; i < in_flight; ++i) {
                const auto place = start + block.thread + i * threads;
                if (place < count) store<hint>(vectors + place, written_vector(place));
            }
        if (block.block == 0 && block.thread < bytes % sizeof(Vector16))
            to[count * sizeof(Vector16) + block.thread] =
                static_cast<std::byte>(written_vector(count).words[block.thread / 4] >> block.thread % 4 * 8);
    }
};

}  // namespace tocuda
