// tocuda, Apache-2.0.
// Reads memory and writes only one word per block: the exclusive or of all 32-bit words, so that no load can be
// optimised away.
#pragma once

#include <cstring>
#include <span>

#include "kernels/block_sum.hpp"

namespace tocuda {

// Reference. Bytes after the last whole word count as the low bytes of a word.
inline std::uint32_t read_reference(std::span<const std::byte> from) {
    std::uint32_t sum = 0;
    for (std::size_t place = 0; place < from.size(); place += sizeof(sum)) {
        std::uint32_t word = 0;
        std::memcpy(&word, from.data() + place, std::min(sizeof(word), from.size() - place));
        sum ^= word;
    }
    return sum;
}

// Kernel. The source address is a multiple of 16.
template <unsigned loads, Hint hint>
struct ReadAll {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads;

    static constexpr Grid grid(std::size_t bytes, unsigned multiprocessors) {
        return {.blocks = reduction_blocks(parts(bytes, threads * in_flight * sizeof(Vector16)), multiprocessors),
                .threads = threads,
                .shared_bytes = threads * sizeof(std::uint32_t),
                .bytes_touched = bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* sums, const std::byte* from, std::size_t bytes) const {
        const auto count = bytes / sizeof(Vector16);
        auto sum = sum_of_vectors(block, reinterpret_cast<const Vector16*>(from), count);
        if (block.block == 0 && block.thread < bytes % sizeof(Vector16))
            sum ^= std::to_integer<std::uint32_t>(from[count * sizeof(Vector16) + block.thread])
                   << block.thread % 4 * 8;
        leave_of_block<threads>(block, sums, sum, [](std::uint32_t one, std::uint32_t other) { return one ^ other; });
    }

private:
    static constexpr std::uint32_t joined(const Vector16& vector) {
        return vector.words[0] ^ vector.words[1] ^ vector.words[2] ^ vector.words[3];
    }

    template <class Block>
    static constexpr std::uint32_t sum_of_vectors(const Block& block, const Vector16* from, std::size_t count) {
        const auto tile = std::size_t{threads} * in_flight;
        std::uint32_t sum = 0;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            if (start + tile <= count) {
                Vector16 held[in_flight];
                for (unsigned i = 0; i < in_flight; ++i) held[i] = load<hint>(from + first + i * threads);
                for (unsigned i = 0; i < in_flight; ++i) sum ^= joined(held[i]);
            } else {
                for (auto i = first; i < count; i += threads) sum ^= joined(from[i]);
            }
        }
        return sum;
    }
};

}  // namespace tocuda
