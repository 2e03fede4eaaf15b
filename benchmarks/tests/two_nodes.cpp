// tocuda, Apache-2.0.
// A library that the tests preload: what Linux says of NUMA nodes is read from the folder TWO_NODES, and memory may be
// bound to any of them.
#include <dlfcn.h>
#include <sys/syscall.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" {

FILE* fopen64(const char* path, const char* mode) {
    static const auto open = reinterpret_cast<decltype(&fopen64)>(dlsym(RTLD_NEXT, "fopen64"));
    constexpr std::string_view nodes = "/sys/devices/system/node/";
    const char* folder = std::getenv("TWO_NODES");
    const std::string_view asked = path;
    if (folder == nullptr || !asked.starts_with(nodes)) return open(path, mode);
    return open((std::string(folder) + "/" + std::string(asked.substr(nodes.size()))).c_str(), mode);
}

long syscall(long number, ...) noexcept {
    static const auto call = reinterpret_cast<decltype(&syscall)>(dlsym(RTLD_NEXT, "syscall"));
    va_list more;
    va_start(more, number);
    long given[6];
    for (auto& each : given) each = va_arg(more, long);
    va_end(more);
    if (number == SYS_mbind) return 0;
    return call(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
}
