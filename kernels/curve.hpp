// tocuda, Apache-2.0.
// Goes through a working set again and again within one launch: by one block on each of some multiprocessors, which
// read, write or copy it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tocuda {

class Stream;

enum class CurveWay { read, write, copy };

inline constexpr std::size_t least_curve_bytes = std::size_t{16} << 10;  // a working set is a multiple of it

// Of a block. A copy has half of the working set for each array, and more loads in flight.
constexpr unsigned curve_threads(CurveWay way) { return way == CurveWay::copy ? 512 : 1024; }

// The vectors that a thread visits, one in each tile, if each block visits all tiles. At most 2^32 vectors.
class WholeWalk {
public:
    constexpr WholeWalk(unsigned tiles, unsigned block, unsigned threads_each, unsigned of_thread)
        : threads(threads_each), thread(of_thread), end(tiles * threads), place(block % tiles * threads + thread) {}

    constexpr std::size_t next() {
        const auto now = place;
        place = place + threads < end ? place + threads : thread;
        return now;
    }
    // How often `next` is called for so many passes.
    constexpr std::size_t visits(unsigned passes) const { return std::size_t{end / threads} * passes; }

private:
    unsigned threads;
    unsigned thread;
    unsigned end;
    unsigned place;
};

// The same if the tiles are divided among at most as many blocks. At each pass a block takes the share of its
// neighbour, so that it returns to its own only after all others: what a cache can keep depends on the whole set.
class DividedWalk {
public:
    constexpr DividedWalk(unsigned of_tiles, unsigned blocks, unsigned block, unsigned threads_each, unsigned of_thread)
        : tiles(of_tiles), stride(blocks), start(block), tile(block), threads(threads_each), thread(of_thread) {}

    constexpr std::size_t next() {
        const auto now = tile;
        tile += stride;
        if (tile >= tiles) {
            start = start + 1 < stride ? start + 1 : 0;
            tile = start;
        }
        return std::size_t{now} * threads + thread;
    }

    // Call it first.
    constexpr std::size_t visits(unsigned passes) const {
        const auto longer = [this](std::size_t pass) {  // passes with one tile more, up to this one
            const std::size_t rest = tiles % stride;
            return pass / stride * rest + std::min(pass % stride, rest);
        };
        return std::size_t{tiles / stride} * passes + longer(std::size_t{start} + passes) - longer(start);
    }

private:
    unsigned tiles;
    unsigned stride;
    unsigned start;
    unsigned tile;
    unsigned threads;
    unsigned thread;
};

struct Curve {
    CurveWay way = CurveWay::read;
    std::size_t bytes = least_curve_bytes;  // the working set; a copy's source and target together
    unsigned multiprocessors = 1;
    unsigned passes = 1;
    bool cold = false;          // nothing of it is in a cache
    bool each_its_own = false;  // each block has a working set of this size for itself, in shared memory

    constexpr std::size_t array_bytes() const { return way == CurveWay::copy ? bytes / 2 : bytes; }
    constexpr unsigned threads() const { return curve_threads(way); }
    constexpr std::size_t tile_bytes() const { return threads() * std::size_t{16}; }  // that a block takes at once
    constexpr unsigned tiles() const { return static_cast<unsigned>(array_bytes() / tile_bytes()); }
    // Several blocks may read the same tile at once, but stores to the same lines wait for each other.
    constexpr unsigned blocks() const {
        return way == CurveWay::read ? multiprocessors : std::min(multiprocessors, tiles());
    }
    // Each block visits all at each pass.
    constexpr bool whole_each() const { return each_its_own || tiles() < blocks(); }
    constexpr std::size_t touched() const { return bytes * passes * (whole_each() ? blocks() : 1); }
};

// `sums` gets the sum of the 32-bit words that each thread has read. A write needs no source, a read no target.
void launch_curve(const Stream& stream, const Curve& curve, std::byte* to, const std::byte* from, std::uint32_t* sums);
// Reads shared memory, after each block has copied the working set there.
void launch_shared_curve(const Stream& stream, const Curve& curve, const std::byte* from, std::uint32_t* sums);
// Adds to `alike` how many of the vectors of 16 bytes are as a write leaves them.
void launch_count_written(const Stream& stream, const std::byte* found, std::size_t bytes, unsigned long long* alike);

}  // namespace tocuda
