// tocuda, Apache-2.0.
// The shape of one launch, the same on a GPU and on the CPU.
#pragma once

#include <cstddef>

namespace tocuda {

struct Grid {
    unsigned blocks = 1;
    unsigned threads = 1;           // of one block
    std::size_t shared_bytes = 0;   // of one block, for all of its shared arrays together
    std::size_t bytes_touched = 0;  // what the kernel reads and writes in all: a simulated GPU charges its clock for it
};

// What one kernel writes and reads where either may lie with the host: a kernel says it by `touched(arguments...)`, and
// a simulated GPU charges the link for what lies there.
struct Touched {
    const void* written = nullptr;
    std::size_t bytes_written = 0;
    const void* read = nullptr;
    std::size_t bytes_read = 0;
};

// What every kernel may have of shared memory; one that wants more has to say so.
inline constexpr std::size_t shared_bytes_unasked = std::size_t{48} << 10;

// How many parts of this size hold all of it.
constexpr std::size_t parts(std::size_t whole, std::size_t part) { return whole / part + (whole % part != 0 ? 1 : 0); }

}  // namespace tocuda
