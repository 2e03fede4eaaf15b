// tocuda, Apache-2.0.
#include "recorder/next.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// Only a simulated runtime counts these.
std::uint64_t launches_not_executed() {
    using Ask = int (*)(tocuda_simulation_state_t*);
    const auto ask = reinterpret_cast<Ask>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_state"));
    if (!ask) return 0;
    auto state = tocuda_simulation_state_t{};
    state.version = 1;
    return ask(&state) == 0 ? state.kernels_not_executed : 0;
}

std::atomic<bool> met = false;

int no_runtime() {
    constexpr int unknown_error = 999;
    return unknown_error;
}

}  // namespace

Counters& Counters::here() {
    static Counters* const only = new Counters;
    return *only;
}

Counters::Numbers Counters::since_start() const {
    Numbers numbers{};
    for (std::size_t i = 0; i < count; ++i) numbers[i] = sums[i].load(std::memory_order_relaxed);
    numbers[offset_of(&tocuda_recorder_totals::launches_not_executed)] = launches_not_executed();
    return numbers;
}

void Counters::mark() {
    const std::lock_guard lock(changing);
    marked = since_start();
}

tocuda_recorder_totals Counters::since_mark() {
    const std::lock_guard lock(changing);
    Numbers difference = since_start();
    for (std::size_t i = 0; i < count; ++i) difference[i] -= marked[i];
    tocuda_recorder_totals totals{};
    totals.version = 1;
    std::memcpy(reinterpret_cast<char*>(&totals) + sizeof totals.version, difference.data(), sizeof difference);
    return totals;
}

bool runtime_was_met() { return met; }

void* find_next(const char* name) {
    met = true;
    if (void* found = ::dlsym(RTLD_NEXT, name)) return found;
    // A runtime that a library opened for itself is not in the global search order, but it is loaded.
    if (void* runtime = ::dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD)) {
        if (void* found = ::dlsym(runtime, name)) return found;
    }
    std::fprintf(stderr, "tocuda: recorder: found no CUDA runtime that defines '%s'\n", name);
    return reinterpret_cast<void*>(&no_runtime);
}

}  // namespace tocuda::simulator
