// tocuda, Apache-2.0.
// What the CPU does itself. With real GPUs it is simply done; where they are simulated it is charged to the virtual
// clock, and left out while only the clock counts.
#pragma once

#include <cstddef>
#include <functional>

#include "transfers/relay.hpp"

namespace tocuda {

bool gpus_are_simulated();
bool only_the_clock_counts();

// The CPU has touched these bytes: managed memory among them has come to the host, which takes a simulated GPU's time
// too.
void host_touched(const std::byte* from, std::size_t bytes);

// What a simulated host copies in a second: one of its threads, and all of them together.
inline constexpr double simulated_thread_bytes_per_second = 10e9;
inline constexpr double simulated_host_bytes_per_second = 80e9;

// What is chosen where no number of threads is given: those that can run, but no more than help. The same wherever GPUs
// are simulated.
std::size_t chosen_threads(std::size_t most);

// This copy as one of so many threads does it, for one operation.
CopyPart as_one_of(std::size_t threads, const CopyPart& copy);

}  // namespace tocuda
