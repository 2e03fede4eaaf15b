// tocuda, Apache-2.0.
// Runs a command on simulated GPUs, and returns what they counted.
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
