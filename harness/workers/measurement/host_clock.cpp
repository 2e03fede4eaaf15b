// tocuda, Apache-2.0.
// Looks for the simulated runtime once, then calls it or reads the real clock.
#include "measurement/host_clock.hpp"

#include <dlfcn.h>

#include <chrono>

#include "simulator/schema/simulation.h"

namespace tocuda {
namespace {

template <class Function>
Function* named(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::optional<double> virtual_seconds() {
    static auto* const ask = named<decltype(tocuda_simulation_state)>("tocuda_simulation_state");
    if (!ask) return std::nullopt;
    tocuda_simulation_state_t state{};
    state.version = 1;
    if (ask(&state) != 0) return std::nullopt;
    return state.seconds;
}

double host_seconds() {
    if (const auto seconds = virtual_seconds()) return *seconds;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void move_simulated_bytes(bool on) {
    static auto* const clock_only = named<decltype(tocuda_simulation_clock_only)>("tocuda_simulation_clock_only");
    if (clock_only) clock_only(on ? 0 : 1);
}

void pass_host_seconds(double seconds) {
    static auto* const pass = named<decltype(tocuda_simulation_pass)>("tocuda_simulation_pass");
    if (pass) pass(seconds);
}

}  // namespace tocuda
