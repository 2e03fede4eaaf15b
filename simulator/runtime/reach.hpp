// tocuda, Apache-2.0.
// What it costs a GPU to access memory: its own, the host's over the link, managed memory wherever it is.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/simulation.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {

// The rate at which managed memory moves between two places: Managed::host, or a GPU by its number.
double managed_bytes_per_second(const Simulation& simulation, int from, int to);

// Between two GPUs, by their order in the machine; without peer access through the host.
double link_bytes_per_second(const SimulatedMachine& machine, int from, int to);

// Moves managed memory to where it is about to be used: costs a fault for each block that is not there.
double seconds_to_bring(Simulation& simulation, Device& device, const Allocation& managed, std::uintptr_t address,
                        std::size_t bytes, int place);

// The time of everything that a kernel touches: its memory and each direction of the link work in parallel.
double seconds_to_touch(Simulation& simulation, Device& device, const std::vector<tocuda_touch>& touches);

// The time of loads that wait for each other, at random within these bytes. Caches hold what fits into them.
double seconds_to_chase(Simulation& simulation, Device& device, const tocuda_touch& over, std::size_t loads);

// The time of going through a working set again and again, until so many bytes were touched in all.
double seconds_to_repeat(const Device& device, const tocuda_touch& over, std::size_t working_set, unsigned blocks);

// For a kernel that only reports its time in the GPU's own memory: the bytes that this time amounts to are spread over
// the addresses in its arguments, and those on the host go over the link.
double seconds_with_arguments(Simulation& simulation, Device& device, const std::vector<std::uintptr_t>& words,
                              double seconds);

}  // namespace tocuda::simulator
