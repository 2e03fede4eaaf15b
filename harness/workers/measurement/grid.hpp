// tocuda, Apache-2.0.
// The shape of a launch, the same on a GPU and on the CPU.
#pragma once

#include <cstddef>

namespace tocuda {

struct Grid {
    unsigned blocks = 1;
    unsigned threads = 1;           // of one block
    std::size_t shared_bytes = 0;   // of one block, for all its shared arrays
    std::size_t bytes_touched = 0;  // all that the kernel reads and writes; advances a simulated GPU's clock
};

// What a kernel writes and reads if either may be host memory. A kernel reports it with `touched(arguments...)`, and a
// simulated GPU charges the link for the part in host memory.
struct Touched {
    const void* written = nullptr;
    std::size_t bytes_written = 0;
    const void* read = nullptr;
    std::size_t bytes_read = 0;
};

// The shared memory that every kernel may use; a kernel that needs more must request it.
inline constexpr std::size_t shared_bytes_unasked = std::size_t{48} << 10;

// Returns how many parts of this size are needed to hold the whole.
constexpr std::size_t parts(std::size_t whole, std::size_t part) { return whole / part + (whole % part != 0 ? 1 : 0); }

}  // namespace tocuda
