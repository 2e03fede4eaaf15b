// tocuda, Apache-2.0.
// Chooses chunks small enough for the first to fill soon, and large enough that starting the copy engine costs little
// compared with moving a chunk.
#include "transfers/cut.hpp"

#include <algorithm>
#include <bit>

#include "measurement/grid.hpp"

namespace tocuda {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t least_part = std::size_t{64} << 10;

}  // namespace

Cut cut_for(std::size_t bytes, std::size_t threads, std::size_t chunk_bytes) {
    const auto chosen = std::clamp(std::bit_floor(std::max<std::size_t>(bytes / 16, 1)), least_chunk, most_chunk);
    const auto chunk = chunk_bytes == 0 ? chosen : chunk_bytes;
    const auto part = parts(parts(chunk, 2 * std::max<std::size_t>(threads, 1)), page) * page;
    return {.chunk_bytes = chunk, .part_bytes = std::min(chunk, std::max(part, least_part))};
}

}  // namespace tocuda
