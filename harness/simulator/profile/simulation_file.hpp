// tocuda, Apache-2.0.
// Reads the simulated machine of this process from the file that TOCUDA_SIMULATION names.
#pragma once

#include "model/simulated/machine.hpp"

namespace tocuda::simulator {

// `absent` if TOCUDA_SIMULATION is not set, `bad` if its file cannot be used. Either is reported once on stderr.
struct SimulationFile {
    enum class State { absent, bad, good } state = State::absent;
    SimulatedMachine machine;
};
SimulationFile read_simulation_file();

}  // namespace tocuda::simulator
