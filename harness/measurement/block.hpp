// tocuda, Apache-2.0.
// How a kernel is written: a struct whose call operator is a constexpr template over a block, which nvcc compiles for
// the GPU and any C++ compiler for the CPU. A block has
//     thread, threads, block, blocks    where this thread stands; all unsigned
//     barrier()                         every thread of the block comes here before one goes on
//     keep_lowest(into, value)          the lowest value that any thread of any block comes with stays there
//     add(to, value)                    the sum of what the threads of all blocks come with
//     shared_array(bytes, alignment)    memory that the block's threads share; each thread asks in the same order
// and the struct says with `static constexpr bool has_barrier` whether it waits for other threads.
#pragma once

#include <cstddef>

namespace tocuda {

template <class Element, class Block>
constexpr Element* shared(Block& block, std::size_t count) {
    return static_cast<Element*>(block.shared_array(count * sizeof(Element), alignof(Element)));
}

// An address as it stands in the shared memory of a block, moved up to the next multiple.
constexpr std::size_t aligned_up(std::size_t address, std::size_t alignment) {
    return (address + alignment - 1) / alignment * alignment;
}

}  // namespace tocuda
