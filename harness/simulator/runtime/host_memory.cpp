// tocuda, Apache-2.0.
// Reads how much memory is left on the machine and in the control group of the process.
#include "runtime/host_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace tocuda::simulator {
namespace {

constexpr std::int64_t look_again_after = std::int64_t{64} << 20;
constexpr std::int64_t reserve = std::int64_t{256} << 20;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::string contents_of(const char* path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    char text[4096];
    const auto got = ::read(file, text, sizeof text);
    ::close(file);
    return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : std::string{};
}

std::int64_t machine_has_left() {
    const std::string text = contents_of("/proc/meminfo");
    const auto at = text.find("MemAvailable:");
    if (at == std::string::npos) return unlimited;
    return std::strtoll(text.c_str() + at + std::strlen("MemAvailable:"), nullptr, 10) * 1024;
}

std::int64_t group_has_left() {
    const std::string most = contents_of("/sys/fs/cgroup/memory.max");
    const std::string now = contents_of("/sys/fs/cgroup/memory.current");
    if (most.empty() || now.empty() || most.starts_with("max")) return unlimited;
    return std::strtoll(most.c_str(), nullptr, 10) - std::strtoll(now.c_str(), nullptr, 10);
}

}  // namespace

bool HostMemory::charge(std::int64_t bytes) {
    const bool fits = limit_ >= 0 ? charged_ + bytes <= limit_ : fits_on_host(bytes);
    if (fits) charged_ += bytes;
    return fits;
}

// A reading is used for at most 64 MiB, because others use the same memory.
bool HostMemory::fits_on_host(std::int64_t bytes) {
    if (bytes > known_free_) {
        const std::int64_t left = std::min(machine_has_left(), group_has_left()) - reserve;
        if (bytes > left) return false;
        known_free_ = std::min(left, std::max(bytes, look_again_after));
    }
    known_free_ -= bytes;
    return true;
}

}  // namespace tocuda::simulator
