// tocuda, Apache-2.0.
#include "recorder/counters.hpp"

#include <dlfcn.h>

#include <cstring>

#include "simulation.h"

namespace tocuda::simulator {
namespace {

// Only a simulated runtime counts these.
std::uint64_t launches_not_executed() {
    using Ask = int (*)(tocuda_simulation_state_t*);
    const auto ask = reinterpret_cast<Ask>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_state"));
    if (ask == nullptr) return 0;
    auto state = tocuda_simulation_state_t{};
    state.version = 1;
    return ask(&state) == 0 ? state.kernels_not_executed : 0;
}

}  // namespace

Counters& Counters::here() {
    static Counters* const only = new Counters;
    return *only;
}

Counters::Numbers Counters::since_start() const {
    Numbers numbers{};
    for (std::size_t i = 0; i < count; ++i) numbers[i] = numbers_[i].load(std::memory_order_relaxed);
    numbers[offset_of(&tocuda_recorder_totals::launches_not_executed)] = launches_not_executed();
    return numbers;
}

void Counters::mark() {
    const std::lock_guard lock(mutex_);
    marked_ = since_start();
}

tocuda_recorder_totals Counters::since_mark() {
    const std::lock_guard lock(mutex_);
    Numbers difference = since_start();
    for (std::size_t i = 0; i < count; ++i) difference[i] -= marked_[i];
    tocuda_recorder_totals totals{};
    totals.version = 1;
    std::memcpy(reinterpret_cast<char*>(&totals) + sizeof totals.version, difference.data(), sizeof difference);
    return totals;
}

}  // namespace tocuda::simulator
