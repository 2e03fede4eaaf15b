// tocuda, Apache-2.0.
// Implements simulation.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "runtime/computing_library.hpp"
#include "runtime/kernel_registry.hpp"
#include "runtime/process_counts.hpp"
#include "runtime/reach.hpp"
#include "runtime/simulation.hpp"
#include "runtime/unsupported.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

// By its index in the file; null unless it is visible.
const Device* visible(const Simulation& simulation, int gpu) {
    for (const auto& device : simulation.devices) {
        if (device->index_in_file == gpu) return device.get();
    }
    return nullptr;
}

bool is_in_file(const Simulation& simulation, int gpu) {
    return gpu >= 0 && gpu < static_cast<int>(simulation.profile.gpus.size());
}

// The simulation's lock, unless this thread computes under it.
std::unique_lock<std::mutex> locked(Simulation& simulation) {
    std::unique_lock lock(simulation.mutex, std::defer_lock);
    if (!Thread::mine().computes_locked) lock.lock();
    return lock;
}

}  // namespace

extern "C" {

int tocuda_simulation_state(tocuda_simulation_state_t* state) {
    if (!state || state->version != 1) return 1;
    *state = {};
    state->version = 1;
    const auto unsupported = unsupported_calls();
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
    state->kernels_not_executed = computes_operators() ? not_computed() : simulation.kernels_not_executed;
    state->seconds = simulation.now;
    return 0;
}

void tocuda_simulation_not_executed(const char* name) {
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    ++simulation.kernels_launched;
    ++simulation.kernels_not_executed;
    ++Thread::mine().kernels_not_executed;
    if (!Thread::mine().in_operator) count_kernel_not_computed(name);
}

int tocuda_simulation_in_operator(int inside) { return std::exchange(Thread::mine().in_operator, inside != 0) ? 1 : 0; }

int tocuda_simulation_is_tainted(const void* address, size_t bytes) {
    Simulation& simulation = Simulation::here();
    const auto lock = locked(simulation);
    return !simulation.taint.in(reinterpret_cast<std::uintptr_t>(address), bytes) ? 0 : 1;
}

void tocuda_simulation_taint(const void* address, size_t bytes, const char* what) {
    Simulation& simulation = Simulation::here();
    const auto lock = locked(simulation);
    simulation.taint.add(reinterpret_cast<std::uintptr_t>(address), bytes, what);
}

void tocuda_simulation_not_computed(const char* name, const char* line, const tocuda_touch* touches, size_t count) {
    Simulation& simulation = Simulation::here();
    const auto lock = locked(simulation);
    count_not_computed(name, line ? line : "");
    const std::string what = std::string(name) + (!line || *line == '\0' ? "" : " at " + std::string(line));
    for (const auto& touch : std::span(touches, count)) {
        if (touch.writes == 0) continue;
        simulation.taint.add(reinterpret_cast<std::uintptr_t>(touch.address), touch.bytes, what);
    }
}

void tocuda_simulation_assertion_failed() {
    Simulation& simulation = Simulation::here();
    const auto lock = locked(simulation);
    simulation.faults.end_context(cudaErrorAssert);
}

int tocuda_simulation_position(int device) {
    const Simulation& simulation = Simulation::here();
    return simulation.has_device(device) ? simulation.device(device).index_in_file : -1;
}

double tocuda_simulation_link(int from, int to) { return link_bytes_per_second(Simulation::here().profile, from, to); }

int tocuda_simulation_computes_later() { return Thread::mine().computes_locked ? 1 : 0; }

uint64_t tocuda_simulation_launched_here() { return Thread::mine().kernels_not_executed; }

int tocuda_simulation_clock_only(int on) {
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    if (on < 0) return simulation.clock_only ? 1 : 0;
    return std::exchange(simulation.clock_only, on != 0) ? 1 : 0;
}

int tocuda_simulation_pass(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return 1;
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    simulation.now += seconds;
    return 0;
}

int tocuda_simulation_host_touched(const void* address, size_t bytes) {
    if (!Simulation::started()) return 1;
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    const auto* found = simulation.memory.around(address);
    if (!found || found->kind != MemoryKind::managed) return 1;
    auto& device = simulation.device(found->device);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto inside = std::min(bytes, found->bytes - (at - found->address));
    simulation.now += device.cost(seconds_to_bring(simulation, device, *found, at, inside, Managed::host));
    return 0;
}

int tocuda_simulation_load(int gpu, double pass, tocuda_simulation_load_t* load) {
    if (!load || load->version != 1 || !Simulation::started()) return 1;
    if (tocuda_simulation_pass(pass) != 0) return 1;
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    *load = {1, simulation.now, -1, -1};
    if (const Device* device = visible(simulation, gpu)) {
        const auto work = simulation.schedule.work(device->number);
        load->work_begin = work.begin;
        load->work_end = work.end;
    }
    return is_in_file(simulation, gpu) ? 0 : 1;
}

int64_t tocuda_simulation_bytes_in_use(int gpu) {
    if (!Simulation::started()) return 0;
    Simulation& simulation = Simulation::here();
    const std::lock_guard lock(simulation.mutex);
    if (const Device* device = visible(simulation, gpu)) return static_cast<int64_t>(device->used_bytes());
    return is_in_file(simulation, gpu) ? 0 : -1;
}

int tocuda_simulation_host_kernel(const tocuda_host_kernel* kernel) {
    const tocuda_host_kernel_more nothing_more{
        .version = 1, .patience_seconds = 0, .touches = nullptr, .dependent_loads = nullptr, .working_set = nullptr};
    return tocuda_simulation_host_kernel_with(kernel, &nothing_more);
}

int tocuda_simulation_host_kernel_with(const tocuda_host_kernel* kernel, const tocuda_host_kernel_more* more) {
    return kernel && more && KernelRegistry::here().add_host_kernel(*kernel, *more) ? 0 : 1;
}

}  // extern "C"
}  // namespace tocuda::simulator
