// tocuda, Apache-2.0.
// Temporary folders that are removed with their objects, and the one with the files that tell the simulator which GPUs
// the children of a run see. The folder of a killed owner is removed when the next one is made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/problem.hpp"
#include "model/profile.hpp"
#include "process/spawning.hpp"

namespace tocuda {

class TemporaryFolder {
public:
    TemporaryFolder();  // throws if it cannot be made
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return folder; }
    void remove();

private:
    std::filesystem::path folder;
    Descriptor lock;  // held until the owner ends, however it ends
};

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
