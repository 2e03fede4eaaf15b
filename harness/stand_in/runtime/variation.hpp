// tocuda, Apache-2.0.
// How costs vary on a simulated GPU: from one operation to the next, from one process to the next, and with time.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "model/simulated/gpu.hpp"

namespace tocuda::stand_in {

class Variation {
public:
    // The same three numbers give the same costs. The process number is the supervisor's, not the system's.
    Variation(const SimulatedGpu& gpu, std::uint64_t seed, std::uint64_t process, std::uint64_t position);

    // What this much costs this time.
    double of(double seconds, double now);

private:
    const SimulatedGpu& gpu_;
    std::mt19937_64 generator_;
    double of_process_ = 1;
};

// Of TOCUDA_SIMULATION_PROCESS: 0 where it is not set, nothing where it is no number.
std::optional<std::uint64_t> process_of_environment();

}  // namespace tocuda::stand_in
