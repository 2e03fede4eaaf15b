// tocuda, Apache-2.0.
#include "runtime/unsupported.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "runtime/process_counts.hpp"
#include "runtime/simulation.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

struct List {
    std::mutex mutex;
    std::uint64_t calls = 0;
    std::set<std::string, std::less<>> names;
};

List& list() {
    static List* const only = new List;
    return *only;
}

}  // namespace

cudaError_t unsupported(const char* what) {
    List& met = list();
    const std::lock_guard lock(met.mutex);
    ++met.calls;
    if (met.names.insert(what).second) {
        std::fprintf(stderr, "tocuda: simulated GPUs: %s is not supported (801)\n", what);
        auto& shared = counts().unsupported;
        const std::size_t used = std::strlen(shared.data());
        if (used + std::strlen(what) + 2 < shared.size())
            std::snprintf(&shared[used], shared.size() - used, "%s\n", what);
    }
    return cudaErrorNotSupported;
}

UnsupportedCalls unsupported_calls() {
    List& met = list();
    const std::lock_guard lock(met.mutex);
    UnsupportedCalls calls{.calls = met.calls, .names = {}};
    for (const std::string& name : met.names) calls.names += (calls.names.empty() ? "" : " ") + name;
    return calls;
}

}  // namespace tocuda::simulator

// Called by the functions that are generated from the real runtime's list of names. Errors of the runtime's functions
// become the thread's last error, those of the driver's do not.
extern "C" int tocuda_simulation_unsupported(const char* name) {
    const bool of_the_runtime = std::string_view(name).find("cuda") != std::string_view::npos;
    if (of_the_runtime) tocuda::simulator::Thread::mine().last_error = cudaErrorNotSupported;
    return tocuda::simulator::unsupported(name);
}
