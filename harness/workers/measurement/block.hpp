// tocuda, Apache-2.0.
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
#pragma once

#include <cstddef>

namespace tocuda {

template <class Element, class Block>
constexpr Element* shared(Block& block, std::size_t count) {
    return static_cast<Element*>(block.shared_array(count * sizeof(Element), alignof(Element)));
}

// Returns an address in a block's shared memory, rounded up to the next multiple of `alignment`.
constexpr std::size_t aligned_up(std::size_t address, std::size_t alignment) {
    return (address + alignment - 1) / alignment * alignment;
}

}  // namespace tocuda
