// tocuda, Apache-2.0.
// Preloaded by tests: each file below $FULL_DISK_FOLDER can hold $FULL_DISK_BYTES bytes; then its disk is full.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// Returns how much room is left for a write of `count` bytes; `count` for all other files.
long room_for(int descriptor, size_t count) {
    const char* folder = std::getenv("FULL_DISK_FOLDER");
    const char* bytes = std::getenv("FULL_DISK_BYTES");
    if (!folder || !bytes) return static_cast<long>(count);
    std::array<char, 4096> path{};
    const auto length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size());
    if (length < 0 || !std::string_view(path.data(), static_cast<size_t>(length)).starts_with(folder))
        return static_cast<long>(count);
    struct stat facts{};
    if (::fstat(descriptor, &facts) != 0) return 0;
    return std::strtol(bytes, nullptr, 10) - static_cast<long>(facts.st_size);
}

}  // namespace

extern "C" ssize_t write(int descriptor, const void* data, size_t count) {
    const auto room = room_for(descriptor, count);
    if (room <= 0 && count > 0) {
        errno = ENOSPC;
        return -1;
    }
    return ::syscall(SYS_write, descriptor, data, static_cast<long>(count) < room ? count : static_cast<size_t>(room));
}
