// tocuda, Apache-2.0.
// An operation that the host computes, in place of kernels that were not executed (simulation.h).
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runtime/answer.hpp"
#include "simulation.h"

namespace tocuda::simulator {
namespace {

class Computation {
public:
    explicit Computation(const tocuda_computation& what) : what_(what) {}
    Computation(const Computation&) = delete;
    Computation& operator=(const Computation&) = delete;
    ~Computation() { what_.drop(what_.state); }

    // In stream order, under the simulation's lock. What happens while the caller still queues it, the caller computes
    // itself, because a lock held for long would stop every other thread.
    void happen() {
        if (being_queued_) due_ = true;
        else run();
    }
    // Returns whether the caller must run it.
    bool queued() {
        being_queued_ = false;
        return due_;
    }
    void run() const { what_.run(what_.state); }

private:
    tocuda_computation what_;
    bool being_queued_ = true;
    bool due_ = false;
};

bool make_room(const Call& call, const tocuda_computation& what) {
    for (std::size_t i = 0; i < what.count; ++i) {
        const tocuda_touch& touch = what.touches[i];
        const auto address = reinterpret_cast<std::uintptr_t>(touch.address);
        const Allocation* found = touch.writes != 0 ? call.simulation.memory.around(address) : nullptr;
        if (found == nullptr || found->space == nullptr) continue;
        if (!found->space->touch(address, touch.bytes)) return false;
    }
    return true;
}

// What is computed from bytes that were not computed counts as not computed either.
void follow_taint(Taint& taint, const tocuda_computation& what) {
    if (taint.none()) return;
    const std::span touches(what.touches, what.count);
    const std::string* found = nullptr;
    for (const tocuda_touch& touch : touches)
        if (touch.writes == 0 && found == nullptr)
            found = taint.in(reinterpret_cast<std::uintptr_t>(touch.address), touch.bytes);
    const auto origin = found == nullptr ? std::nullopt : std::optional(*found);
    for (const tocuda_touch& touch : touches) {
        if (touch.writes == 0) continue;
        const auto address = reinterpret_cast<std::uintptr_t>(touch.address);
        if (origin) taint.add(address, touch.bytes, *origin);
        else taint.clear(address, touch.bytes);
    }
}

cudaError_t queue(const Call& call, int device, cudaStream_t handle, const tocuda_computation& what,
                  const std::shared_ptr<Computation>& computation) {
    if (!call.simulation.has_device(device)) return cudaErrorInvalidDevice;
    Stream* stream = call.simulation.stream(handle, device);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!make_room(call, what)) return cudaErrorMemoryAllocation;
    follow_taint(call.simulation.taint, what);
    Operation operation;
    operation.effect = [computation] { computation->happen(); };
    call.enqueue(*stream, std::move(operation));
    return cudaSuccess;
}

}  // namespace

extern "C" int tocuda_simulation_compute(int device, void* stream, const tocuda_computation* what) {
    if (what == nullptr || what->version != 1) return cudaErrorInvalidValue;
    const auto computation = std::make_shared<Computation>(*what);
    Simulation& simulation = Simulation::here();
    std::unique_lock lock(simulation.mutex);
    const Call call{simulation, Thread::mine(), lock};
    const cudaError_t result = queue(call, device, static_cast<cudaStream_t>(stream), *what, computation);
    const bool due = computation->queued();
    lock.unlock();
    if (due) computation->run();
    return result;
}

}  // namespace tocuda::simulator
