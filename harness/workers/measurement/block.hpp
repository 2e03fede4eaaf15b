// tocuda, Apache-2.0.
// How a kernel is written, and the shape of its launch.
#pragma once

#include <cstddef>

namespace tocuda {

// The shape of a launch, the same on a GPU and on the CPU.
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

// How a kernel is written: as a struct whose call operator is a constexpr template over a block, so that nvcc compiles
// it for the GPU and any C++ compiler for the CPU. A block has
//     thread, threads, block, blocks    this thread's position; all unsigned
//     barrier()                         waits until every thread of the block has reached it
//     keep_lowest(into, value)          stores the lowest value that any thread of any block passes
//     add(to, value)                    adds up the values of the threads of all blocks
//     fetch_add(to, value), fetch_max(to, value), compare_and_swap(to, expected, desired)
//                                       atomic, and return what was there before
//     reduce_add(to, value), reduce_max(to, value)
//                                       the same without an answer
//     seen(flag), show(flag, value)     a flag that other blocks, GPUs or the host see while the kernel runs
//     signal(flag, value)               the same, without waiting until they can
//     nanoseconds(), cycles()           the GPU's clocks; they stand still on the CPU
//     multiprocessor(of)                the number of the one that runs the block, of so many
//     shared_array(bytes, alignment)    memory shared by the block's threads, which must call in the same order
// and the struct's `static constexpr bool has_barrier` says whether it waits for other threads.
template <class Element, class Block>
constexpr Element* shared(Block& block, std::size_t count) {
    return static_cast<Element*>(block.shared_array(count * sizeof(Element), alignof(Element)));
}

// Returns an address in a block's shared memory, rounded up to the next multiple of `alignment`.
constexpr std::size_t aligned_up(std::size_t address, std::size_t alignment) {
    return (address + alignment - 1) / alignment * alignment;
}

}  // namespace tocuda
