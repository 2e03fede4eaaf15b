// tocuda, Apache-2.0.
// Runs a command on simulated GPUs.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "model/scenario.hpp"
#include "model/simulation_counts.hpp"
#include "simulator/schema/simulated_machine.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// What a program needs in its environment to run on simulated GPUs.
bool can_simulate();  // whether this build has simulated GPUs

// Changes to the environment of this process. Everything that the program starts inherits them.
Environment simulated_environment(const std::filesystem::path& machine, bool computes);

// CUDA_VISIBLE_DEVICES is left as it is, and holds for simulated GPUs as for real ones: says so if it is set.
void say_what_is_visible();

// Runs a command on simulated GPUs, and returns what they counted.
struct SimulatedProgram {
    Words command{};
    bool computes = true;
    Environment changes{};
    std::optional<std::chrono::seconds> limit{};
    std::string record{};  // the absolute path of a file for what LibTorch's allocator does; empty: none
};

struct SimulatedEnd {
    int code = 0;        // 128 + n after signal n
    int signal = 0;      // that n; 0: it ended by itself
    int stopped_by = 0;  // the signal that asked tocuda to stop, and the program with it; 0: none
    SimulationCounts counts{};
};

// The command has the terminal. Files for the simulator go to `folder`.
OrExit<SimulatedEnd> run_simulated(const std::filesystem::path& folder, const SimulatedMachine& machine,
                                   const SimulatedProgram& program);

// What a program that failed before it used a GPU most often lacks: a torch, which this tocuda may have. Else empty.
std::string why_it_used_no_gpu(int code, const SimulationCounts& counts);

// With the command that replays it, or that there is nothing; without a name, nothing is said.
void say_what_was_recorded(const std::string& before, const std::string& name);

}  // namespace tocuda
