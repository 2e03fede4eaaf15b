// tocuda, Apache-2.0.
// A chase of pointers by one thread while all other multiprocessors read memory, at a pace that is set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/chase.hpp"

namespace tocuda {

// What is read beside the chase: chunks of `from`, by the warps of one block on each of the other multiprocessors.
struct Beside {
    static constexpr unsigned warp = 32;
    static constexpr unsigned warps = 32;  // of a block
    static constexpr std::size_t chunk_bytes = 4096;

    const std::byte* from = nullptr;
    std::size_t chunks = 0;         // more than there are readers
    unsigned multiprocessors = 1;   // with that of the chase
    std::int64_t cycles_each = 0;   // from one chunk of a warp to its next; 0: as soon as it has been read
    std::uint64_t patience_ns = 0;  // for all to begin, and for the chase to end; 0: each warp reads one chunk

    constexpr unsigned blocks() const { return multiprocessors - 1; }
    constexpr unsigned readers() const { return blocks() * warps; }
    constexpr unsigned threads() const { return readers() * warp; }
};

// What one of these warps did.
struct ReadBeside {
    std::uint64_t nanoseconds = 0;  // from its first chunk to its last
    std::uint32_t chunks = 0;
    std::uint32_t outlasted = 0;  // 1: it read until the chase had ended
};

// In the GPU's memory, zero before each launch.
struct ChaseFlags {
    std::uint32_t begun = 0;         // blocks that read
    std::uint32_t ended = 0;         // the chase
    std::uint32_t begun_before = 0;  // blocks that read when the chase began
};

// The chunk that a reader reads after so many others.
constexpr std::size_t chunk_of(const Beside& beside, unsigned reader, std::size_t number) {
    return (reader + number * beside.readers()) % beside.chunks;
}

// `shared_bytes`: so many that a multiprocessor runs one block. `read` has an entry for each reader, `sums` one for
// each of their threads: of the 32-bit words that it read.
void launch_loaded_chase(const Stream& stream, const Chase& chase, const Beside& beside, std::size_t shared_bytes,
                         ChaseFlags* flags, Chased* result, ReadBeside* read, std::uint32_t* sums);

}  // namespace tocuda
