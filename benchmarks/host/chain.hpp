// tocuda, Apache-2.0.
// A chain of lines of the host's memory in random order, so that each load returns the address of the next one, which
// no prefetcher guesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "measurement/payload.hpp"

namespace tocuda {

struct alignas(64) ChainLine {
    const ChainLine* next;
};

// One cycle through all lines (Sattolo's shuffle). The same for the same seed.
inline void link_chain(std::span<ChainLine> lines, std::uint64_t seed) {
    for (auto& line : lines) line.next = &line;
    for (auto i = lines.size() - 1; i > 0; --i) {
        seed = scrambled(seed);
        std::swap(lines[i].next, lines[seed % i].next);
    }
}

struct ChainWalk {
    const ChainLine* end = nullptr;
    std::uint64_t sum = 0;  // of all addresses on the way, modulo 2^64
};

inline ChainWalk walk_chain(const ChainLine* from, std::size_t loads) {
    ChainWalk walk{.end = from};
    for (; loads > 0; --loads) {
        walk.end = walk.end->next;
        walk.sum += reinterpret_cast<std::uintptr_t>(walk.end);
    }
    return walk;
}

// What a walk through all of them must find.
inline std::uint64_t sum_of_chain(std::span<const ChainLine> lines) {
    std::uint64_t sum = 0;
    for (const auto& line : lines) sum += reinterpret_cast<std::uintptr_t>(&line);
    return sum;
}

}  // namespace tocuda
