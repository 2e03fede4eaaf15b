// tocuda, Apache-2.0.
#include "machine/held_devices.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace tocuda {
namespace {

bool is_gpu(const std::string& name) {
    constexpr std::size_t word = 6;  // of "nvidia"
    return name.starts_with("nvidia") && name.size() > word &&
           std::all_of(name.begin() + word, name.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

// The driver initialises a GPU that is opened without waiting in a thread of its own, so that one that hangs does not
// hang this process.
HeldDevices::HeldDevices(const std::filesystem::path& folder) {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        if (!is_gpu(entry.path().filename())) continue;
        const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0) files.push_back(file);
    }
}

HeldDevices::~HeldDevices() {
    for (const int file : files) ::close(file);
}

}  // namespace tocuda
