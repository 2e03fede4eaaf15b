// tocuda, Apache-2.0.
// Simulated GPUs for the children of one run: whether this build can simulate, and the files that say what to simulate.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "command/plan.hpp"
#include "command/temporary_folder.hpp"
#include "lines/parsed.hpp"
#include "model/profile.hpp"

namespace tocuda {

inline constexpr const char* default_simulation = "2x8GiB";

// Returns why this build cannot simulate; empty if it can.
std::string why_no_simulation();

Available available_by_simulation(const std::string& spec, const Simulation& simulation);

// Returns the machine of a SPEC with these faults ("cudaMalloc 3 2 sticky"), or what is wrong with them.
Parsed<SimulatedMachine> machine_of(const std::string& spec, const std::vector<std::string>& faults,
                                    std::uint64_t seed);

// Files for the simulated runtime, in a folder that is removed with this object.
class SimulationFolder {
public:
    // Returns the file for a SPEC with these faults, or what is wrong with them.
    Parsed<std::filesystem::path> file_for(const std::string& spec, const std::vector<std::string>& faults,
                                           std::uint64_t seed);
    // For a process that exits without unwinding.
    void remove() { folder.remove(); }

private:
    TemporaryFolder folder;
    std::map<std::string, std::filesystem::path> files;
};

}  // namespace tocuda
