// tocuda, Apache-2.0.
// What the simulation says of itself: simulation.h.
#include <cstring>

#include "runtime/kernel_registry.hpp"
#include "runtime/simulation.hpp"
#include "runtime/unsupported.hpp"
#include "simulation.h"

using tocuda::stand_in::KernelRegistry;
using tocuda::stand_in::Simulation;

extern "C" {

int tocuda_simulation_state(tocuda_simulation_state_t* state) {
    if (state == nullptr || state->version != 1) return 1;
    *state = {};
    state->version = 1;
    const auto unsupported = tocuda::stand_in::unsupported_calls();
    state->unsupported_calls = unsupported.calls;
    std::string names = unsupported.names;
    if (names.size() >= sizeof state->unsupported_names) {
        names.resize(sizeof state->unsupported_names - 1);
        names.resize(names.find_last_of(' '));
    }
    std::memcpy(state->unsupported_names, names.c_str(), names.size());
    if (!Simulation::started()) return 0;
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    state->gpus = simulation.devices.size();
    state->kernels_launched = simulation.kernels_launched;
    state->kernels_not_executed = simulation.kernels_not_executed;
    state->seconds = simulation.now;
    return 0;
}

void tocuda_simulation_not_executed(const char*) {
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    ++simulation.kernels_launched;
    ++simulation.kernels_not_executed;
}

int64_t tocuda_simulation_bytes_in_use(int gpu) {
    if (!Simulation::started()) return 0;
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    for (const auto& device : simulation.devices) {
        if (device->index_in_file != gpu) continue;
        return device->profile.memory_bytes - static_cast<int64_t>(device->free_bytes());
    }
    return gpu >= 0 && gpu < static_cast<int>(simulation.profile.gpus.size()) ? 0 : -1;
}

int tocuda_simulation_host_kernel(const tocuda_host_kernel* kernel) {
    return kernel != nullptr && KernelRegistry::here().add_host_kernel(*kernel) ? 0 : 1;
}

}  // extern "C"
