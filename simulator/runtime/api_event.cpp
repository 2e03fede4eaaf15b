// tocuda, Apache-2.0.
// The runtime's functions for events, with times of the virtual clock.
#include <chrono>
#include <cmath>
#include <utility>

#include "runtime/capture.hpp"
#include "runtime/pool.hpp"
#include "runtime/sharing.hpp"

namespace tocuda::simulator {
namespace {

template <typename Body>
cudaError_t with_event(const char* function, cudaEvent_t handle, Body&& body) {
    return answer(function, [&](const Call& call) -> cudaError_t {
        auto* event = reinterpret_cast<Event*>(handle);
        return call.simulation.events.contains(event) ? body(call, *event) : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t create(const Call& call, cudaEvent_t* result, unsigned flags) {
    if (!result || flags > 7) return cudaErrorInvalidValue;
    const bool timed = (flags & cudaEventDisableTiming) == 0, shared = (flags & cudaEventInterprocess) != 0;
    if (timed && shared) return cudaErrorInvalidValue;
    call.device();
    auto place = shared ? SharedEvent::make() : nullptr;
    if (shared && !place) return cudaErrorMemoryAllocation;
    const std::uint64_t recording = shared ? place->recorded() : 0;
    auto* event =
        new Event{.device = call.thread.device, .timed = timed, .shared = std::move(place), .recording = recording};
    call.simulation.events.insert(event);
    *result = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
}

cudaError_t record(const Call& call, Event& event, cudaStream_t handle, unsigned flags) {
    Stream* stream = call.stream(handle);
    if (!stream || stream->kind.device != event.device) return cudaErrorInvalidResourceHandle;
    const bool external = (flags & cudaEventRecordExternal) != 0;
    if (const cudaError_t refused = refuses_work(call, *stream); refused != cudaSuccess) return refused;
    if (stream->capture) return record_in_capture(*stream, event, external);
    if (external) return cudaErrorInvalidValue;
    event.captured = false;
    event.recorded = std::make_shared<Completion>(Completion{.stream = stream});
    Operation operation{.completes = event.recorded};
    if (event.shared) {
        event.recording = event.shared->record();
        operation.effect = [shared = event.shared, recording = event.recording] { shared->pass(recording); };
    }
    call.enqueue(*stream, std::move(operation));
    return cudaSuccess;
}

// The event is not looked at again: it may be destroyed meanwhile.
void wait_for_others(const Call& call, const Event& event) {
    const auto shared = event.shared;
    const auto recording = shared->recorded();
    while (!shared->has_passed(recording)) call.simulation.changed.wait_for(call.lock, std::chrono::microseconds(100));
}

// Whether the host's clock has passed the event.
bool passed(const Call& call, const Event& event) {
    if (is_recorded_elsewhere(event)) return event.shared->has_passed(event.shared->recorded());
    if (!event.recorded) return true;
    if (event.recorded->stream) event.recorded->stream->advance(call.simulation.now);
    return event.recorded->done && event.recorded->seconds <= call.simulation.now;
}

// The event's time in whole steps of the GPU's clock, as a GPU records it.
double stamp(const SimulatedGpu& gpu, const Completion& point) {
    const double step = 1e-9 * static_cast<double>(gpu.event_resolution_ns);
    return step > 0 ? step * std::floor(point.seconds / step) : point.seconds;
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return answer(__func__, [&](const Call& call) { return create(call, event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return answer(__func__, [&](const Call& call) { return create(call, event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    return with_event(__func__, handle, [](const Call& call, Event& event) {
        call.simulation.events.erase(&event);
        delete &event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream) {
    return with_event(__func__, handle, [&](const Call& call, Event& event) {
        return record(call, event, stream, cudaEventRecordDefault);
    });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
    return with_event(__func__, handle,
                      [&](const Call& call, Event& event) { return record(call, event, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    return with_event(__func__, handle, [](const Call& call, Event& event) {
        if (const cudaError_t refused = refuses_waiting(call, event); refused != cudaSuccess) return refused;
        return passed(call, event) ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    return with_event(__func__, handle, [](const Call& call, Event& event) {
        if (const cudaError_t refused = refuses_waiting(call, event); refused != cudaSuccess) return refused;
        const int device = event.device;
        if (is_recorded_elsewhere(event)) {
            wait_for_others(call, event);
            return cudaSuccess;
        }
        const auto point = event.recorded;
        call.simulation.wait_for(call.lock, point);
        trim_after_wait(call.simulation, device);
        return cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return with_event(__func__, end, [&](const Call& call, Event& last) {
        auto* first = reinterpret_cast<Event*>(start);
        if (!milliseconds) return cudaErrorInvalidValue;
        if (!call.simulation.events.contains(first) || first->device != last.device)
            return cudaErrorInvalidResourceHandle;
        if (first->captured || last.captured) return cudaErrorInvalidResourceHandle;
        if (!first->timed || !last.timed || !first->recorded || !last.recorded) return cudaErrorInvalidResourceHandle;
        if (!passed(call, *first) || !passed(call, last)) return cudaErrorNotReady;
        const auto& gpu = call.simulation.device(last.device).profile;
        *milliseconds = static_cast<float>(1e3 * (stamp(gpu, *last.recorded) - stamp(gpu, *first->recorded)));
        return cudaSuccess;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
