// tocuda, Apache-2.0.
// Casts numbers from one type to another. Neighbouring threads access neighbouring vectors on both sides, 16 bytes wide
// on the wider one, so that each byte is transferred once, even if the source or target is across a link.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/number_types.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

// Reference.
template <class To, class From>
void cast_reference(std::span<To> to, std::span<const From> from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = converted<To>(from[i]);
}

template <class Number, unsigned count>
struct Run {
    Number each[count];
};

// The unit of loads and stores. Not typed as numbers, because a compiler might then access them one by one.
template <std::size_t bytes>
struct alignas(bytes) [[gnu::may_alias]] Words {
    std::uint32_t words[bytes / 4];
};
template <>
struct alignas(2) [[gnu::may_alias]] Words<2> {
    std::uint16_t words[1];
};

// Kernel. If the two addresses differ in their offset within a vector, numbers are cast one by one.
template <class From, class To>
struct Cast {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;
    static constexpr unsigned vector = 16 / std::max(sizeof(From), sizeof(To));  // numbers

    using FromWords = Words<vector * sizeof(From)>;
    using ToWords = Words<vector * sizeof(To)>;

    // At most `most_blocks` blocks; 0: one per tile.
    static constexpr Grid grid(std::size_t count, unsigned most_blocks = 0) {
        const auto blocks = blocks_for(parts(count, std::size_t{threads} * in_flight * vector));
        return {.blocks = most_blocks == 0 ? blocks : std::min(blocks, most_blocks),
                .threads = threads,
                .bytes_touched = count * (sizeof(From) + sizeof(To))};
    }

    static constexpr Touched touched(const To* to, const From* from, std::size_t count) {
        return {.written = to, .bytes_written = count * sizeof(To), .read = from, .bytes_read = count * sizeof(From)};
    }

    template <class Block>
    constexpr void operator()(Block& block, To* to, const From* from, std::size_t count) const {
        const auto past = reinterpret_cast<std::uintptr_t>(from) / sizeof(From) % vector;
        if (past != reinterpret_cast<std::uintptr_t>(to) / sizeof(To) % vector)
            return singly(block, to, from, 0, count, block.blocks);
        const auto head = std::min(count, (vector - past) % vector);
        const auto vectors = (count - head) / vector;
        in_vectors(block, reinterpret_cast<ToWords*>(to + head), reinterpret_cast<const FromWords*>(from + head),
                   vectors);
        if (block.block != 0) return;
        singly(block, to, from, 0, head, 1);
        singly(block, to, from, head + vectors * vector, count, 1);
    }

private:
    template <class Block>
    static constexpr void singly(const Block& block, To* to, const From* from, std::size_t first, std::size_t end,
                                 unsigned blocks) {
        for (auto i = first + std::size_t{block.block} * threads + block.thread; i < end;
             i += std::size_t{blocks} * threads)
            to[i] = converted<To>(from[i]);
    }

    static constexpr ToWords cast_vector(const FromWords& words) {
        const auto numbers = __builtin_bit_cast(Run<From, vector>, words);
        Run<To, vector> result{};
        for (unsigned i = 0; i < vector; ++i) result.each[i] = converted<To>(numbers.each[i]);
        return __builtin_bit_cast(ToWords, result);
    }

    template <class Block>
    static constexpr void in_vectors(const Block& block, ToWords* to, const FromWords* from, std::size_t count) {
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            if (start + tile <= count) {
                FromWords held[in_flight];
                for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(from + first + i * threads);
                for (unsigned i = 0; i < in_flight; ++i)
                    store<Hint::plain>(to + first + i * threads, cast_vector(held[i]));
            } else {
                for (auto i = first; i < count; i += threads)
                    store<Hint::plain>(to + i, cast_vector(load<Hint::plain>(from + i)));
            }
        }
    }
};

}  // namespace tocuda
