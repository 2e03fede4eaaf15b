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

// Why nothing can be simulated here, or nothing.
std::string why_no_simulation();

Available available_by_simulation(const std::string& spec, const Simulation& simulation);

// The machine of a SPEC with these faults ("cudaMalloc 3 2 sticky"), or what is wrong with one of them.
Parsed<SimulatedMachine> machine_of(const std::string& spec, const std::vector<std::string>& faults,
                                    std::uint64_t seed);

// Files for the simulated runtime, in a folder that goes away with this object.
class SimulationFolder {
public:
    // The file for a SPEC whose runtime has these faults, or what is wrong with it.
    Parsed<std::filesystem::path> file_for(const std::string& spec, const std::vector<std::string>& faults,
                                           std::uint64_t seed);
    // Where this process ends without unwinding.
    void remove() { folder.remove(); }

private:
    TemporaryFolder folder;
    std::map<std::string, std::filesystem::path> files;
};

}  // namespace tocuda
