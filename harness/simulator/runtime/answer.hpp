// tocuda, Apache-2.0.
// The frame of every function of the runtime: refuses, applies a fault, or runs the body under the lock, and remembers
// the error.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <new>
#include <string_view>

#include "runtime/simulation.hpp"
#include "runtime/thread.hpp"

namespace tocuda::simulator {

struct Call {
    Simulation& simulation;
    Thread& thread;
    std::unique_lock<std::mutex>& lock;

    // The current device; creates its context.
    Device& device() const {
        Device& current = *simulation.devices[static_cast<std::size_t>(thread.device)];
        current.make_context();
        return current;
    }
    Stream* stream(cudaStream_t handle) const { return simulation.stream(handle, thread.device); }
};

[[noreturn]] void hang_for_ever();

inline cudaError_t remembered(cudaError_t result) {
    if (result != cudaSuccess) Thread::mine().last_error = result;
    return result;
}

template <typename Body>
cudaError_t answer(const char* function, Body&& body) {
    Simulation& simulation = Simulation::here();
    if (const cudaError_t refusal = simulation.refusal(); refusal != cudaSuccess) return remembered(refusal);
    std::unique_lock lock(simulation.mutex);
    const Faults::Verdict fault = simulation.faults.on_call(function);
    if (fault.hang) {
        lock.unlock();
        hang_for_ever();
    }
    if (fault.error != 0) return remembered(static_cast<cudaError_t>(fault.error));
    Thread& thread = Thread::mine();
    simulation.spend(*simulation.devices.front(), simulation.devices.front()->profile.call_ns);
    try {
        return remembered(body(Call{simulation, thread, lock}));
    } catch (const std::bad_alloc&) {
        return remembered(cudaErrorMemoryAllocation);
    }
}

}  // namespace tocuda::simulator
