// tocuda, Apache-2.0.
// Runs a kernel on the CPU, block after block and thread after thread in a chosen order; a barrier switches between threads.
#pragma once

#include <functional>

#include "measurement/grid.hpp"
#include "measurement/host_block.hpp"
#include "measurement/thread_order.hpp"

namespace tocuda {

using ThreadBody = std::function<void(HostBlock&)>;

void run_waiting(const Grid& grid, ThreadOrder order, const ThreadBody& body);     // each thread is a fiber
void run_straight(const Grid& grid, ThreadOrder order, const ThreadBody& body);    // a barrier is a fault

template <class Kernel, class... Arguments>
void run_on_host(const Grid& grid, ThreadOrder order, Kernel kernel, Arguments... arguments) {
    const auto body = [&](HostBlock& block) { kernel(block, arguments...); };
    if constexpr (Kernel::has_barrier) run_waiting(grid, order, body);
    else run_straight(grid, order, body);
}

}  // namespace tocuda
