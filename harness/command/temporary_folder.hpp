// tocuda, Apache-2.0.
// A folder for temporary files that goes away with this object; one whose owner was killed goes away when the next one
// is made.
#pragma once

#include <filesystem>

#include "process/descriptor.hpp"

namespace tocuda {

class TemporaryFolder {
public:
    TemporaryFolder();  // throws where none can be made
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return folder; }
    void remove();

private:
    std::filesystem::path folder;
    Descriptor lock;  // held by the owner for as long as it lives, however it ends
};

}  // namespace tocuda
