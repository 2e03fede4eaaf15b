// tocuda, Apache-2.0.
// How a transfer is cut: each chunk goes through one buffer, and each part of a chunk is copied by one thread.
#pragma once

#include <cstddef>

namespace tocuda {

struct Cut {
    std::size_t chunk_bytes = 0;  // at most the size of a buffer
    std::size_t part_bytes = 0;   // at most the size of a chunk
};

inline constexpr std::size_t least_chunk = std::size_t{256} << 10;
inline constexpr std::size_t most_chunk = std::size_t{4} << 20;

// With `chunk_bytes` 0, a chunk is a sixteenth of the transfer, rounded down to a power of two. Parts are whole pages,
// two for each thread, so that a delayed thread delays little.
Cut cut_for(std::size_t bytes, std::size_t threads, std::size_t chunk_bytes);

}  // namespace tocuda
