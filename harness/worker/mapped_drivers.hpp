// tocuda, Apache-2.0.
// Which drivers and runtimes this process has mapped: stand-ins of ours, or real ones.
#pragma once

#include <functional>
#include <istream>

#include "model/evidence.hpp"

namespace tocuda {

struct MappedDrivers {
    bool stand_in = false;
    bool real = false;
};

MappedDrivers mapped_drivers(std::istream& maps);

// Throws where both are: libraries with a private runtime then hand host pointers to a real GPU.
// simulated where a stand-in is mapped, real where a GPU answered through a real driver, none otherwise.
Device device_of_this_process(const std::function<bool()>& gpu_answered);

}  // namespace tocuda
