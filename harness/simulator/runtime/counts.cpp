// tocuda, Apache-2.0.
#include "runtime/counts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "simulation.h"

namespace tocuda::simulator {
namespace {

SharedCounts* mapped() {
    const char* folder = std::getenv("TOCUDA_COUNTS");
    if (folder == nullptr) return nullptr;
    std::string name = std::string(folder) + "/" + std::to_string(::getpid()) + ".XXXXXX";
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) return nullptr;
    void* at = MAP_FAILED;
    if (::ftruncate(file, sizeof(SharedCounts)) == 0)
        at = ::mmap(nullptr, sizeof(SharedCounts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return at == MAP_FAILED ? nullptr : static_cast<SharedCounts*>(at);
}

}  // namespace

SharedCounts& counts() {
    static SharedCounts* const only = [] {
        SharedCounts* found = mapped();
        if (found == nullptr) found = new SharedCounts{};
        found->version = SharedCounts::this_version;
        return found;
    }();
    return *only;
}

extern "C" void* tocuda_simulation_counts(void) { return &counts(); }

}  // namespace tocuda::simulator
