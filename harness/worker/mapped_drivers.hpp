// tocuda, Apache-2.0.
// Tells which CUDA libraries this process has mapped: ours (the simulator's or a fake driver's) or a real driver's.
#pragma once

#include <functional>
#include <istream>

#include "model/evidence.hpp"

namespace tocuda {

struct MappedDrivers {
    bool ours = false;
    bool real = false;
};

MappedDrivers mapped_drivers(std::istream& maps);

// Returns `simulated` if one of our libraries is mapped, `real` if a GPU answered through a real driver, `none`
// otherwise. Throws if both are mapped: libraries with a private runtime would then hand host pointers to a real GPU.
Device device_of_this_process(const std::function<bool()>& gpu_answered);

}  // namespace tocuda
