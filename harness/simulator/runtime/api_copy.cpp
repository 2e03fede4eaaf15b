// tocuda, Apache-2.0.
// The runtime's functions for copies and fills.
#include "runtime/transfer.hpp"

using tocuda::simulator::answer;
using tocuda::simulator::Call;
using tocuda::simulator::Fill;
using tocuda::simulator::Transfer;
using tocuda::simulator::Waiting;

extern "C" {

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
    return answer("cudaMemcpy", [&](const Call& call) {
        return transfer(call, Transfer::flat(target, source, bytes, kind), nullptr, Waiting::blocking);
    });
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return answer("cudaMemcpyAsync", [&](const Call& call) {
        return transfer(call, Transfer::flat(target, source, bytes, kind), stream, Waiting::asynchronous);
    });
}

cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    return answer("cudaMemcpy2D", [&](const Call& call) {
        if (width > target_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
        return transfer(call, {target, target_pitch, source, source_pitch, width, height, kind}, nullptr,
                        Waiting::blocking);
    });
}

cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return answer("cudaMemcpy2DAsync", [&](const Call& call) {
        if (width > target_pitch || width > source_pitch) return cudaErrorInvalidPitchValue;
        return transfer(call, {target, target_pitch, source, source_pitch, width, height, kind}, stream,
                        Waiting::asynchronous);
    });
}

cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
    return answer("cudaMemcpyPeer", [&](const Call& call) {
        const int devices = static_cast<int>(call.simulation.devices.size());
        if (target_device < 0 || source_device < 0 || target_device >= devices || source_device >= devices)
            return cudaErrorInvalidDevice;
        return transfer(call, Transfer::flat(target, source, bytes, cudaMemcpyDeviceToDevice), nullptr,
                        Waiting::blocking);
    });
}

cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                                cudaStream_t stream) {
    return answer("cudaMemcpyPeerAsync", [&](const Call& call) {
        const int devices = static_cast<int>(call.simulation.devices.size());
        if (target_device < 0 || source_device < 0 || target_device >= devices || source_device >= devices)
            return cudaErrorInvalidDevice;
        return transfer(call, Transfer::flat(target, source, bytes, cudaMemcpyDeviceToDevice), stream,
                        Waiting::asynchronous);
    });
}

cudaError_t cudaMemset(void* target, int value, size_t bytes) {
    return answer("cudaMemset", [&](const Call& call) {
        return fill(call, {.target = target, .width = bytes, .value = value}, nullptr);
    });
}

cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
    return answer("cudaMemsetAsync", [&](const Call& call) {
        return fill(call, {.target = target, .width = bytes, .value = value}, stream);
    });
}

cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
    return answer("cudaMemset2D", [&](const Call& call) {
        return width > pitch ? cudaErrorInvalidPitchValue : fill(call, {target, pitch, width, height, value}, nullptr);
    });
}

cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return answer("cudaMemset2DAsync", [&](const Call& call) {
        return width > pitch ? cudaErrorInvalidPitchValue : fill(call, {target, pitch, width, height, value}, stream);
    });
}

}  // extern "C"
