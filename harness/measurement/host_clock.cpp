// tocuda, Apache-2.0.
// Looks for the simulated runtime once, then reads its clock or the real one.
#include "measurement/host_clock.hpp"

#include <dlfcn.h>

#include <chrono>

#include "simulator/simulation.h"

namespace tocuda {
namespace {

using Ask = int(tocuda_simulation_state_t*);

Ask* simulation() {
    static auto* const ask = reinterpret_cast<Ask*>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_state"));
    return ask;
}

}  // namespace

std::optional<double> virtual_seconds() {
    if (!simulation()) return std::nullopt;
    tocuda_simulation_state_t state{};
    state.version = 1;
    if (simulation()(&state) != 0) return std::nullopt;
    return state.seconds;
}

double host_seconds() {
    if (const auto seconds = virtual_seconds()) return *seconds;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace tocuda
