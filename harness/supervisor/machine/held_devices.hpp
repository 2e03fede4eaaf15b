// tocuda, Apache-2.0.
// Holds the GPUs' device files open, as the persistence daemon does, so that the driver does not initialise a GPU anew
// for each process, which takes seconds. Creates no context, and changes no setting.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace tocuda {

class HeldDevices {
public:
    // Those in `folder` that may be opened; none if it is empty.
    explicit HeldDevices(const std::filesystem::path& folder);
    HeldDevices(const HeldDevices&) = delete;
    HeldDevices& operator=(const HeldDevices&) = delete;
    ~HeldDevices();

    std::size_t count() const { return files.size(); }

private:
    std::vector<int> files{};
};

}  // namespace tocuda
