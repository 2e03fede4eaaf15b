// tocuda, Apache-2.0.
// A temporary folder that is removed with this object. The folder of a killed owner is removed when the next one is
// made.
#pragma once

#include <filesystem>

#include "process/pipes.hpp"

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

}  // namespace tocuda
