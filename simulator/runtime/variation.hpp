// tocuda, Apache-2.0.
// How costs vary on a simulated GPU: between operations, between processes, and with time. Drawn from the profile's
// seed and the number of the process.
#pragma once

#include <cstdint>
#include <random>

#include "simulator/schema/gpu.hpp"

namespace tocuda::simulator {

class Variation {
public:
    // The same three numbers give the same costs. The process number is assigned by the supervisor, not the system.
    // `factor` multiplies all costs.
    Variation(const SimulatedGpu& gpu, std::uint64_t seed, std::uint64_t process, std::uint64_t position,
              double factor = 1);

    // What an operation of `seconds` costs this time.
    double of(double seconds, double now);

private:
    const SimulatedGpu& model;
    std::mt19937_64 engine;
    double of_process = 1;
};

}  // namespace tocuda::simulator
