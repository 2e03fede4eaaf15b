// tocuda, Apache-2.0.
// Copies bytes 16 at a time: reference, kernel, check. The measurement is in vector_copy.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "measurement/grid.hpp"

namespace tocuda {

// Reference.
inline void copy_reference(std::span<std::byte> to, std::span<const std::byte> from) {
    std::copy(from.begin(), from.end(), to.begin());
}

// Kernel. Addresses that stand alike within 16 bytes are copied in vectors, after a head and before a tail of single bytes;
// others cannot be, and go byte by byte.
struct VectorCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 512;
    static constexpr unsigned in_flight = 4;  // loads of one thread before its first store

    struct alignas(16) [[gnu::may_alias]] Vector {
        std::uint32_t words[4];
    };

    static constexpr Grid grid(std::size_t bytes) {
        const auto tiles = parts(bytes, threads * in_flight * sizeof(Vector));
        const auto most = std::size_t{0x7fffffff};
        return {.blocks = static_cast<unsigned>(std::clamp(tiles, std::size_t{1}, most)), .threads = threads,
                .bytes_touched = 2 * bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto past = reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector);
        if (past != reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector)) return tiles(block, to, from, bytes);
        const auto head = std::min(bytes, (sizeof(Vector) - past) % sizeof(Vector));
        const auto vectors = (bytes - head) / sizeof(Vector);
        const auto tail = head + vectors * sizeof(Vector);
        tiles(block, reinterpret_cast<Vector*>(to + head), reinterpret_cast<const Vector*>(from + head), vectors);
        if (block.block != 0) return;
        singly(block, to, from, head);
        singly(block, to + tail, from + tail, bytes - tail);
    }

private:
    // Neighbouring threads take neighbouring elements; a block takes every `blocks`-th tile.
    template <class Block, class Element>
    static constexpr void tiles(const Block& block, Element* to, const Element* from, std::size_t count) {
        const auto tile = std::size_t{block.threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            if (start + tile > count) {
                for (auto i = first; i < count; i += block.threads) to[i] = from[i];
                continue;
            }
            Element held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i) held[i] = from[first + i * block.threads];
            for (unsigned i = 0; i < in_flight; ++i) to[first + i * block.threads] = held[i];
        }
    }

    template <class Block>
    static constexpr void singly(const Block& block, std::byte* to, const std::byte* from, std::size_t count) {
        for (std::size_t i = block.thread; i < count; i += block.threads) to[i] = from[i];
    }
};

// Check: the first place that differs, where one does.
inline std::optional<std::size_t> first_difference(std::span<const std::byte> expected, std::span<const std::byte> found) {
    const auto [end, other] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    if (end == expected.end() && other == found.end()) return std::nullopt;
    return static_cast<std::size_t>(end - expected.begin());
}

}  // namespace tocuda
