// tocuda, Apache-2.0.
// The kernels that write the payload and find the first byte that differs. The CPU runs them as one thread, so that
// their loops are plain loops there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "measurement/block.hpp"
#include "measurement/payload.hpp"

namespace tocuda {

struct [[gnu::may_alias]] Word {
    std::uint64_t bits;
};

// Splits a range of bytes, whose first byte has offset `place` in the payload, into single bytes up to a word of the
// payload, whole words, and single bytes. If the payload's words are not aligned in memory, everything is single bytes.
struct Parted {
    std::size_t head;
    std::size_t words;

    template <class Byte>
    static constexpr Parted of(const Byte* memory, std::size_t bytes, std::size_t place) {
        const auto head = std::min(bytes, (sizeof(Word) - place % sizeof(Word)) % sizeof(Word));
        if (reinterpret_cast<std::uintptr_t>(memory + head) % sizeof(Word) != 0) return {.head = bytes, .words = 0};
        return {.head = head, .words = (bytes - head) / sizeof(Word)};
    }
    constexpr std::size_t tail() const { return head + words * sizeof(Word); }
};

constexpr std::byte payload_byte(std::size_t place) {
    return static_cast<std::byte>(scrambled(place / 8) >> place % 8 * 8);
}

// The joint result of a comparison's threads. It counts the bytes compared, because finding no difference proves
// nothing if the kernel did not run to its end.
struct Findings {
    unsigned long long lowest;    // offset that differs
    unsigned long long compared;  // bytes
};

// Calls `step` with this thread's numbers in [first, end) until it returns true; neighbouring threads get neighbouring
// numbers. Returns how many numbers this thread has tried.
template <class Block, class Step>
constexpr std::size_t until(const Block& block, std::size_t first, std::size_t end, const Step& step) {
    const auto threads = std::size_t{block.blocks} * block.threads;
    std::size_t mine = 0;
    for (auto i = first + std::size_t{block.block} * block.threads + block.thread; i < end; i += threads) {
        ++mine;
        if (step(i)) return mine;
    }
    return mine;
}

struct WritePayload {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, std::size_t bytes, std::size_t place) const {
        const auto part = Parted::of(to, bytes, place);
        const auto singly = [&](std::size_t i) { return to[i] = payload_byte(place + i), false; };
        until(block, 0, part.head, singly);
        auto* const words = reinterpret_cast<Word*>(to + part.head);
        const auto first = (place + part.head) / sizeof(Word);
        until(block, 0, part.words, [&](std::size_t i) { return words[i].bits = scrambled(first + i), false; });
        until(block, part.tail(), bytes, singly);
    }
};

struct FirstUnlikePayload {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, const std::byte* found, std::size_t bytes, std::size_t place,
                              Findings* findings) const {
        const auto part = Parted::of(found, bytes, place);
        const auto singly = [&](std::size_t i) {
            const bool differs = found[i] != payload_byte(place + i);
            if (differs) block.keep_lowest(&findings->lowest, i);
            return differs;
        };
        auto compared = until(block, 0, part.head, singly);
        const auto* const words = reinterpret_cast<const Word*>(found + part.head);
        const auto first = (place + part.head) / sizeof(Word);
        compared += sizeof(Word) * until(block, 0, part.words, [&](std::size_t i) {
                        if (words[i].bits == scrambled(first + i)) return false;
                        for (auto byte = part.head + i * sizeof(Word); !singly(byte);) ++byte;
                        return true;
                    });
        compared += until(block, part.tail(), bytes, singly);
        block.add(&findings->compared, compared);
    }
};

struct FirstUnlike {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, const std::byte* found, std::size_t bytes, std::byte value,
                              Findings* findings) const {
        block.add(&findings->compared, until(block, 0, bytes, [&](std::size_t i) {
            if (found[i] == value) return false;
            block.keep_lowest(&findings->lowest, i);
            return true;
        }));
    }
};

struct FirstDifference {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, const std::byte* left, const std::byte* right, std::size_t bytes,
                              Findings* findings) const {
        const bool alike =
            (reinterpret_cast<std::uintptr_t>(left) | reinterpret_cast<std::uintptr_t>(right)) % sizeof(Word) == 0;
        const auto words = alike ? bytes / sizeof(Word) : 0;
        const auto singly = [&](std::size_t i) {
            if (left[i] == right[i]) return false;
            block.keep_lowest(&findings->lowest, i);
            return true;
        };
        auto compared =
            sizeof(Word) * until(block, 0, words, [&](std::size_t i) {
                if (reinterpret_cast<const Word*>(left)[i].bits == reinterpret_cast<const Word*>(right)[i].bits)
                    return false;
                for (auto byte = i * sizeof(Word); !singly(byte);) ++byte;
                return true;
            });
        compared += until(block, words * sizeof(Word), bytes, singly);
        block.add(&findings->compared, compared);
    }
};

}  // namespace tocuda
