// tocuda, Apache-2.0.
// The runtime's functions for streams, and for host functions in them.
#include <algorithm>
#include <utility>

#include "runtime/capture.hpp"
#include "runtime/pool.hpp"
#include "runtime/sharing.hpp"

namespace tocuda::simulator {
namespace {

constexpr int greatest_priority = -5;

cudaError_t create(const Call& call, cudaStream_t* result, unsigned flags, int priority) {
    if (!result || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    call.device();
    const bool joins_legacy = (flags & cudaStreamNonBlocking) == 0;
    const int clamped = std::min(0, std::max(priority, greatest_priority));
    auto* stream = call.simulation.new_stream({.device = call.thread.device,
                                               .joins_legacy = joins_legacy,
                                               .priority = clamped,
                                               .flags = flags,
                                               .id = call.simulation.next_id()});
    *result = reinterpret_cast<cudaStream_t>(stream);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return answer(__func__, [&](const Call& call) { return create(call, stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return answer(__func__, [&](const Call& call) { return create(call, stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return answer(__func__, [&](const Call& call) { return create(call, stream, flags, priority); });
}

// Returns at once; what is still in the stream is completed all the same.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return answer(__func__, [&](const Call& call) -> cudaError_t {
        auto* stream = reinterpret_cast<Stream*>(handle);
        if (!call.simulation.streams.contains(stream)) return cudaErrorInvalidResourceHandle;
        leave_capture(*stream);
        call.simulation.streams.erase(stream);
        call.simulation.device(stream->kind.device).streams.erase(stream);
        call.simulation.leaving.push_back(stream);
        call.simulation.advance_all(call.simulation.now);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return with_stream(__func__, handle, [](const Call& call, Stream& stream) {
        if (const cudaError_t refused = refuses_waiting(call, stream); refused != cudaSuccess) return refused;
        call.simulation.wait_for(call.lock, stream);
        trim_after_wait(call.simulation, stream.kind.device);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return with_stream(__func__, handle, [](const Call& call, Stream& stream) {
        if (const cudaError_t refused = refuses_waiting(call, stream); refused != cudaSuccess) return refused;
        const bool done = stream.advance(call.simulation.now) && stream.tail() <= call.simulation.now;
        return done ? cudaSuccess : cudaErrorNotReady;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        auto* awaited = reinterpret_cast<Event*>(event);
        if (!call.simulation.events.contains(awaited)) return cudaErrorInvalidResourceHandle;
        if (const cudaError_t refused = refuses_work(call, stream); refused != cudaSuccess) return refused;
        const bool external = (flags & cudaEventWaitExternal) != 0;
        if (stream.capture || awaited->captured || external) return wait_in_capture(call, stream, *awaited, external);
        if (is_recorded_elsewhere(*awaited)) {
            call.enqueue(stream, {.ready = [shared = awaited->shared, recording = awaited->shared->recorded()] {
                             return shared->has_passed(recording);
                         }});
            return cudaSuccess;
        }
        if (!awaited->recorded) return cudaSuccess;
        call.enqueue(stream, {.after = {awaited->recorded}});
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        if (!function) return cudaErrorInvalidValue;
        if (const cudaError_t refused = refuses_work(call, stream); refused != cudaSuccess) return refused;
        if (stream.capture) return capture(stream, HostCall{function, data});
        call.enqueue(stream, {.host_function = [function, data] { function(data); }});
        return cudaSuccess;
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t function, void* data, unsigned flags) {
    return with_stream(__func__, handle, [&](const Call& call, Stream& stream) {
        if (!function || flags != 0) return cudaErrorInvalidValue;
        if (const cudaError_t refused = refuses_uncapturable(call, stream); refused != cudaSuccess) return refused;
        call.enqueue(stream, {.host_function = [handle, function, data] { function(handle, cudaSuccess, data); }});
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    return with_stream(__func__, handle,
                       [&](const Call&, Stream& stream) { return write(priority, stream.kind.priority); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    return with_stream(__func__, handle, [&](const Call&, Stream& stream) { return write(flags, stream.kind.flags); });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    return with_stream(__func__, handle, [&](const Call&, Stream& stream) { return write(id, stream.kind.id); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    return with_stream(__func__, handle,
                       [&](const Call&, Stream& stream) { return write(device, stream.kind.device); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return answer(__func__, [&](const Call&) {
        if (least) *least = 0;
        if (greatest) *greatest = greatest_priority;
        return cudaSuccess;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
