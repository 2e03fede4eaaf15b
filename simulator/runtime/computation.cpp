// tocuda, Apache-2.0.
// Operations that the host computes (simulation.h).
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/call_frame.hpp"
#include "runtime/capture.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator {
namespace {

bool make_room(Simulation& simulation, const std::vector<tocuda_touch>& touches) {
    for (const tocuda_touch& touch : touches) {
        const auto address = reinterpret_cast<std::uintptr_t>(touch.address);
        const Allocation* found = touch.writes != 0 ? simulation.memory.around(address) : nullptr;
        if (!found || !found->space) continue;
        if (!found->space->touch(address, touch.bytes)) return false;
    }
    return true;
}

// What is computed from bytes that were not computed counts as not computed either.
void follow_taint(Taint& taint, const std::vector<tocuda_touch>& touches) {
    if (taint.none()) return;
    const std::string* found = nullptr;
    for (const tocuda_touch& touch : touches)
        if (touch.writes == 0 && !found) found = taint.in(reinterpret_cast<std::uintptr_t>(touch.address), touch.bytes);
    const auto origin = found ? std::optional(*found) : std::nullopt;
    for (const tocuda_touch& touch : touches) {
        if (touch.writes == 0) continue;
        const auto address = reinterpret_cast<std::uintptr_t>(touch.address);
        if (origin) taint.add(address, touch.bytes, *origin);
        else taint.clear(address, touch.bytes);
    }
}

class Computation {
public:
    Computation(Simulation& simulation, const tocuda_computation& what)
        : machine(simulation), asked(what), touched_memory(what.touches, what.touches + what.count) {}
    Computation(const Computation&) = delete;
    Computation& operator=(const Computation&) = delete;
    ~Computation() { asked.drop(asked.state); }

    // In stream order, under the simulation's lock. What happens while the caller still queues it, the caller computes
    // itself, because a lock held for long would stop every other thread.
    void happen() {
        follow_taint(machine.taint, touched_memory);
        if (being_queued) {
            due = true;
        } else {
            has_room();  // again: a fill with zeros before it, or in the same graph, gives room back
            Thread::mine().computes_locked = true;
            run();
            Thread::mine().computes_locked = false;
        }
    }
    // Returns whether the caller must run it.
    bool queued() {
        being_queued = false;
        return due;
    }
    bool has_room() { return make_room(machine, touched_memory); }
    void run() const { asked.run(asked.state); }
    bool waits() const { return asked.ready; }
    double seconds(const SimulatedGpu& gpu) const {
        if (asked.version < 2) return 0;
        return 1e-9 * static_cast<double>(gpu.kernel_ns) + asked.link_seconds;
    }
    bool ready() const { return asked.ready(asked.state) != 0; }

private:
    Simulation& machine;
    tocuda_computation asked;
    std::vector<tocuda_touch> touched_memory;
    bool being_queued = true;
    bool due = false;
};

// In its scope a thread computes outside the lock (see Standstill).
class OutsideLock {
public:
    OutsideLock(Simulation& simulation, Thread& thread)
        : machine(simulation), caller(thread), within(std::exchange(thread.computes, true)) {
        ++machine.computing;
    }
    OutsideLock(const OutsideLock&) = delete;
    OutsideLock& operator=(const OutsideLock&) = delete;
    ~OutsideLock() {
        --machine.computing;
        caller.computes = within;
    }

private:
    Simulation& machine;
    Thread& caller;
    bool within;
};

cudaError_t queue(const Call& call, int device, cudaStream_t handle, const std::shared_ptr<Computation>& computation) {
    if (!call.simulation.has_device(device)) return cudaErrorInvalidDevice;
    Stream* stream = call.simulation.stream(handle, device);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
    if (!computation->has_room()) return cudaErrorMemoryAllocation;
    Operation operation;
    operation.effect = [computation] { computation->happen(); };
    if (computation->waits()) {  // no kernel was launched before it that keeps the GPU busy
        operation.ready = [computation] { return computation->ready(); };
        operation.polls_last = true;
        operation.is_work = true;
    }
    operation.cost = call.simulation.device(device).cost(computation->seconds(call.simulation.device(device).profile));
    call.enqueue(*stream, std::move(operation));
    return cudaSuccess;
}

}  // namespace

extern "C" int tocuda_simulation_compute(int device, void* stream, const tocuda_computation* what) {
    if (!what || what->version < 1 || what->version > 2) return cudaErrorInvalidValue;
    Simulation& simulation = Simulation::here();
    const auto computation = std::make_shared<Computation>(simulation, *what);
    Thread& thread = Thread::mine();
    std::unique_lock lock(simulation.mutex);
    while (simulation.standstills > 0 && !thread.computes)
        simulation.changed.wait_for(lock, std::chrono::microseconds(50));
    const Call call{simulation, thread, lock};
    const cudaError_t result = queue(call, device, static_cast<cudaStream_t>(stream), computation);
    if (!computation->queued()) return result;
    const OutsideLock outside(simulation, thread);
    lock.unlock();
    computation->run();
    return result;
}

}  // namespace tocuda::simulator
