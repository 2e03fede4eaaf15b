// tocuda, Apache-2.0.
// Which blocks of a file are read or written, and in which order.
#pragma once

#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "measurement/parameter.hpp"

namespace tocuda {

// The file is as many times as large as what is read or written of it.
inline constexpr std::size_t times_as_large = 4;

using BlockOrder = std::vector<std::size_t>;

inline std::size_t block_of(const Parameters& set) { return static_cast<std::size_t>(whole(set, "block")); }

inline std::string why_no_blocks(const Parameters& set) {
    return bytes_of(set) % block_of(set) == 0 ? "" : "bytes must be a multiple of the block";
}

// Other blocks of a file each time, so that no cache of the disk helps, or its last ones, beyond which the system
// cannot read ahead.
inline BlockOrder new_order(const Parameters& set, std::size_t file_bytes, std::mt19937_64& generator) {
    const auto count = bytes_of(set) / block_of(set);
    BlockOrder blocks(file_bytes / block_of(set));
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    if (text(set, "order") == "sequential") return {blocks.end() - static_cast<std::ptrdiff_t>(count), blocks.end()};
    for (std::size_t i = 0; i < count; ++i)
        std::swap(blocks[i], blocks[std::uniform_int_distribution(i, blocks.size() - 1)(generator)]);
    blocks.resize(count);
    return blocks;
}

}  // namespace tocuda
