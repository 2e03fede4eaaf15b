// tocuda, Apache-2.0.
// What it costs a GPU to reach memory: its own, the host's over the link, managed memory wherever it is.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/simulation.hpp"
#include "simulation.h"

namespace tocuda::stand_in {

// Managed memory that is about to be used at a place; what is not there moves, with a fault for each block of it.
double seconds_to_bring(Simulation& simulation, Device& device, const Allocation& managed, std::uintptr_t address,
                        std::size_t bytes, int place);

// What a kernel touches, in all: memory and each direction of the link work at once.
double seconds_to_touch(Simulation& simulation, Device& device, const std::vector<tocuda_touch>& touches);

// For a kernel that only says how long it would take in the GPU's own memory: what it touches is spread over the
// addresses in its arguments, and what of them lies with the host goes over the link.
double seconds_with_arguments(Simulation& simulation, Device& device, const std::vector<std::uintptr_t>& words,
                              double seconds);

}  // namespace tocuda::stand_in
