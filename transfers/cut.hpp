// tocuda, Apache-2.0.
// How a transfer is cut: chunks that go through a buffer each, and parts of them that a thread copies each.
#pragma once

#include <cstddef>

namespace tocuda {

struct Cut {
    std::size_t chunk_bytes = 0;  // at most a buffer
    std::size_t part_bytes = 0;   // at most a chunk
};

inline constexpr std::size_t least_chunk = std::size_t{256} << 10;
inline constexpr std::size_t most_chunk = std::size_t{4} << 20;

// What is used where nothing is said: a sixteenth of the whole as a power of two, shared out in whole pages,
// two parts to each thread, so that one that is held up holds up little.
Cut cut_for(std::size_t bytes, std::size_t threads, std::size_t chunk_bytes);

}  // namespace tocuda
