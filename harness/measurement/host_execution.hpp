// tocuda, Apache-2.0.
// Runs a kernel on the CPU, block after block and thread after thread in a chosen order. A barrier switches to the next
// thread.
#pragma once

#include <functional>
#include <vector>

#include "measurement/grid.hpp"
#include "measurement/host_block.hpp"
#include "measurement/thread_order.hpp"

namespace tocuda {

using ThreadBody = std::function<void(HostBlock&)>;

// Runs these blocks of the grid in this order, each thread as a fiber.
void run_waiting(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, const ThreadBody& body);
// The same for kernels without a barrier: reaching one throws KernelFault.
void run_straight(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, const ThreadBody& body);

inline void run_waiting(const Grid& grid, ThreadOrder order, const ThreadBody& body) {
    run_waiting(grid, in_order(order, grid.blocks), order, body);
}
inline void run_straight(const Grid& grid, ThreadOrder order, const ThreadBody& body) {
    run_straight(grid, in_order(order, grid.blocks), order, body);
}

// Runs some blocks of a launch that is too large to run whole.
template <class Kernel, class... Arguments>
void run_blocks_on_host(const Grid& grid, const std::vector<unsigned>& blocks, ThreadOrder order, Kernel kernel,
                        Arguments... arguments) {
    const auto body = [&](HostBlock& block) { kernel(block, arguments...); };
    if constexpr (Kernel::has_barrier) run_waiting(grid, blocks, order, body);
    else run_straight(grid, blocks, order, body);
}

template <class Kernel, class... Arguments>
void run_on_host(const Grid& grid, ThreadOrder order, Kernel kernel, Arguments... arguments) {
    run_blocks_on_host(grid, in_order(order, grid.blocks), order, kernel, arguments...);
}

}  // namespace tocuda
