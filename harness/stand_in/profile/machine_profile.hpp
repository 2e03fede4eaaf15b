// tocuda, Apache-2.0.
// The simulated machine: its GPUs, its driver, and the faults it is told to have. Read from a flat file of `key value` lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/gpu_profile.hpp"

namespace tocuda::stand_in {

struct Fault {
    std::string function;
    std::uint64_t call = 1;  // the first call is 1
    int error = 0;
    bool sticky = false;  // every later call answers the same
    bool hang = false;
};

struct MachineProfile {
    int driver_version = 13000;
    std::string driver_name = "580.95.05";
    std::uint64_t seed = 1;
    bool peer_access = true;
    std::int64_t host_memory_bytes = -1;  // what device memory may take of the host's; -1: what the host has
    std::vector<GpuProfile> gpus;
    std::vector<Fault> faults;
    std::map<int, std::string> error_texts;
};

struct ProfileReading {
    MachineProfile machine;
    std::vector<std::string> problems;  // each names its line
};

ProfileReading read_profile(std::string_view text);

// The file that TOCUDA_SIMULATION names; what is wrong with it goes to stderr, once.
struct SimulationFile {
    enum class State { absent, bad, good } state = State::absent;
    MachineProfile machine;
};
SimulationFile read_simulation_file();

}  // namespace tocuda::stand_in
