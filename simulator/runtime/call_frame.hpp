// tocuda, Apache-2.0.
// The frame of every function of the runtime: refuses, applies a fault, or runs the body under the lock, and remembers
// the error.
#pragma once

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/computing_library.hpp"
#include "runtime/sharing.hpp"
#include "runtime/simulation.hpp"

namespace tocuda::simulator {

struct Call {
    Simulation& simulation;
    Thread& thread;
    std::unique_lock<std::mutex>& lock;
    bool wrong = false;  // a fault: the first byte that it copies arrives changed

    // The current device; creates its context.
    Device& device() const {
        Device& current = simulation.device(thread.device);
        simulation.use(current);
        return current;
    }
    Stream* stream(cudaStream_t handle) const { return simulation.stream(handle, thread.device); }
    void enqueue(Stream& stream, Operation operation) const { simulation.enqueue(lock, stream, std::move(operation)); }
    void wait_for_device(int device) const { simulation.wait_for_device(lock, device); }
    void wait_for_all_devices() const {
        for (const auto& device : simulation.devices) wait_for_device(device->number);
    }
};

// In its scope no thread computes outside the lock: what such a thread writes may not be in the middle of a move.
class Standstill {
public:
    explicit Standstill(const Call& call) : machine(call.simulation) {
        ++machine.standstills;
        while (machine.computing > 0) machine.changed.wait_for(call.lock, std::chrono::microseconds(50));
    }
    Standstill(const Standstill&) = delete;
    Standstill& operator=(const Standstill&) = delete;
    ~Standstill() { --machine.standstills; }

private:
    Simulation& machine;
};

// The GPU whose memory a file holds. If this process does not see it, the memory counts as that of the current one.
inline Device& owner_of(const Call& call, const FileName& name) {
    for (const auto& device : call.simulation.devices)
        if (device->index_in_file == name.gpu) return *device;
    return call.device();
}

inline cudaError_t remembered(cudaError_t result) {
    if (result != cudaSuccess) Thread::mine().last_error = result;
    return result;
}

// Writes a result, unless the caller has no room for it.
template <typename Value>
cudaError_t write(Value* to, const std::type_identity_t<Value>& value) {
    if (!to) return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

template <typename Body>
cudaError_t answer(const char* function, Body&& body) {
    Simulation& simulation = Simulation::here();
    if (const cudaError_t refusal = simulation.refusal(); refusal != cudaSuccess) return remembered(refusal);
    std::unique_lock lock(simulation.mutex);
    const Faults::Verdict fault = simulation.faults.on_call(function);
    if (fault.hang) {
        lock.unlock();
        while (true) ::pause();
    }
    if (fault.error != 0) return remembered(static_cast<cudaError_t>(fault.error));
    simulation.spend(*simulation.devices.front(), simulation.devices.front()->profile.call_ns);
    const int ended_before = simulation.faults.sticky();
    cudaError_t result = cudaErrorMemoryAllocation;
    try {
        result = body(Call{simulation, Thread::mine(), lock, fault.wrong});
    } catch (const std::bad_alloc&) {
    } catch (const DeviceUnavailable&) {
        result = cudaErrorDevicesUnavailable;
    }
    // Work that this call waited for may have failed an assertion.
    if (const int ended = simulation.faults.sticky(); result == cudaSuccess && ended != ended_before)
        result = static_cast<cudaError_t>(ended);
    const bool new_memory = std::exchange(simulation.new_memory, false);
    if (std::exchange(simulation.new_context, false) || new_memory) {
        lock.unlock();
        meet_libtorch(new_memory);
    }
    return remembered(result);
}

// The same for a function about a stream.
template <typename Body>
cudaError_t with_stream(const char* function, cudaStream_t handle, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        Stream* stream = call.stream(handle);
        return stream ? body(call, *stream) : cudaErrorInvalidResourceHandle;
    });
}

// The same for a function about one device.
template <typename Body>
cudaError_t answer_about(int device, const char* function, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        return call.simulation.has_device(device) ? body(call, call.simulation.device(device)) : cudaErrorInvalidDevice;
    });
}

}  // namespace tocuda::simulator
