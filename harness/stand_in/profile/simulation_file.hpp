// tocuda, Apache-2.0.
// The simulated machine that this process was given.
#pragma once

#include "model/simulated/machine.hpp"

namespace tocuda::stand_in {

// The file that TOCUDA_SIMULATION names; what is wrong with it goes to stderr, once.
struct SimulationFile {
    enum class State { absent, bad, good } state = State::absent;
    SimulatedMachine machine;
};
SimulationFile read_simulation_file();

}  // namespace tocuda::stand_in
