// tocuda, Apache-2.0.
// Reads the simulated machine of this process from the file that TOCUDA_SIMULATION names.
#pragma once

#include <cstdint>
#include <optional>

#include "simulator/schema/simulated_machine.hpp"

namespace tocuda::simulator {

// `absent` if TOCUDA_SIMULATION is not set, `bad` if its file cannot be used. Either is reported once on stderr.
struct SimulationFile {
    enum class State { absent, bad, good } state = State::absent;
    SimulatedMachine machine;
};
SimulationFile read_simulation_file();

// The value of TOCUDA_SIMULATION_PROCESS: 0 if unset, nullopt if it is not a number.
std::optional<std::uint64_t> process_of_environment();

// Marks the GPU with this index in the file as used by this process, until the process ends or unlocks it; false if
// another process uses it. Without a file that can be written nothing is marked.
bool lock_gpu(int index);
void unlock_gpu(int index);

}  // namespace tocuda::simulator
