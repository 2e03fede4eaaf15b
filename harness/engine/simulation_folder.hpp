// tocuda, Apache-2.0.
// The files that tell the simulator which GPUs the children of one run see.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/temporary_folder.hpp"
#include "model/problem.hpp"
#include "model/profile.hpp"

namespace tocuda {

// Returns the machine of a SPEC with these faults ("cudaMalloc 3 2 sticky"), or what is wrong with them.
Expected<SimulatedMachine> machine_of(const std::string& spec, const std::vector<std::string>& faults,
                                      std::uint64_t seed);

// Files for the simulated runtime, in a folder that is removed with this object.
class SimulationFolder {
public:
    // Returns the file for a SPEC with these faults, or what is wrong with them.
    Expected<std::filesystem::path> file_for(const std::string& spec, const std::vector<std::string>& faults,
                                             std::uint64_t seed);
    // For a process that exits without unwinding.
    void remove() { folder.remove(); }

private:
    TemporaryFolder folder;
    std::map<std::string, std::filesystem::path> files;
};

}  // namespace tocuda
