// tocuda, Apache-2.0.
// Steps of which each waits for the one before, because that returns the place of the next: loads and atomic operations
// in shared memory, and atomic operations in the L2 cache. Each place is visited once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/chase.hpp"

namespace tocuda {

enum class ChainStep { load, add, exchange };
inline constexpr std::array<std::string_view, 3> step_words{"load", "add", "exchange"};

// In shared memory: so many words, in a random order. A place is a number of bytes from the first.
inline constexpr unsigned shared_places = 8192;

// The place that each word of shared memory names: all of them in one cycle, from the first word on.
std::vector<std::uint32_t> shared_links();

// Writes what the words of shared memory are at the end, as bytes from the first word.
void launch_shared_chain(const Stream& stream, ChainStep step, const std::uint32_t* links, unsigned steps,
                         Chased* result, std::uint32_t* left);
// Through lines whose links are written before each launch.
void launch_line_chain(const Stream& stream, ChainStep step, const Chase& chase, Chased* result);

// What a step leaves where it found the link to `next`.
constexpr std::uint64_t left_by(ChainStep step, std::uint64_t here, std::uint64_t next) {
    return step == ChainStep::load ? next : step == ChainStep::add ? next + 1 : here;
}

}  // namespace tocuda
