// tocuda, Apache-2.0.
// The runtime's functions for copies and fills.
#include "runtime/transfer.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

cudaError_t copy(const char* function, const Transfer& what, cudaStream_t stream, Waiting waiting) {
    return answer(function, [&](const Call& call) { return transfer(call, what, stream, waiting); });
}

cudaError_t copy_between(int target, int source, const char* function, const Transfer& what, cudaStream_t stream,
                         Waiting waiting) {
    return answer_about(target, function, [&](const Call& call, Device&) {
        if (!call.simulation.has_device(source)) return cudaErrorInvalidDevice;
        return transfer(call, what, stream, waiting);
    });
}

cudaError_t copy_box(const char* function, const cudaMemcpy3DParms* box, cudaStream_t stream, Waiting waiting) {
    if (!box) return answer(function, [](const Call&) { return cudaErrorInvalidValue; });
    if (box->srcArray || box->dstArray) return unsupported("copies of arrays");
    return copy(function, Transfer::boxed(box->dstPtr, box->dstPos, box->srcPtr, box->srcPos, box->extent, box->kind),
                stream, waiting);
}

cudaError_t copy_box_between(const char* function, const cudaMemcpy3DPeerParms* box, cudaStream_t stream,
                             Waiting waiting) {
    if (!box) return answer(function, [](const Call&) { return cudaErrorInvalidValue; });
    if (box->srcArray || box->dstArray) return unsupported("copies of arrays");
    const auto what =
        Transfer::boxed(box->dstPtr, box->dstPos, box->srcPtr, box->srcPos, box->extent, cudaMemcpyDeviceToDevice);
    return copy_between(box->dstDevice, box->srcDevice, function, what, stream, waiting);
}

cudaError_t set(const char* function, const Fill& what, cudaStream_t stream) {
    return answer(function, [&](const Call& call) { return fill(call, what, stream); });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
    return copy(__func__, Transfer::flat(target, source, bytes, kind), nullptr, Waiting::blocking);
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy(__func__, Transfer::flat(target, source, bytes, kind), stream, Waiting::asynchronous);
}

cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    const Transfer what{target, target_pitch, source, source_pitch, width, height, kind};
    return copy(__func__, what, nullptr, Waiting::blocking);
}

cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    const Transfer what{target, target_pitch, source, source_pitch, width, height, kind};
    return copy(__func__, what, stream, Waiting::asynchronous);
}

cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
    const auto what = Transfer::flat(target, source, bytes, cudaMemcpyDeviceToDevice);
    return copy_between(target_device, source_device, __func__, what, nullptr, Waiting::blocking);
}

cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                                cudaStream_t stream) {
    const auto what = Transfer::flat(target, source, bytes, cudaMemcpyDeviceToDevice);
    return copy_between(target_device, source_device, __func__, what, stream, Waiting::asynchronous);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* box) { return copy_box(__func__, box, nullptr, Waiting::blocking); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
    return copy_box(__func__, box, stream, Waiting::asynchronous);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* box) {
    return copy_box_between(__func__, box, nullptr, Waiting::blocking);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* box, cudaStream_t stream) {
    return copy_box_between(__func__, box, stream, Waiting::asynchronous);
}

// One call for many copies. The attributes only say how early the sources may be read.
cudaError_t cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attributes, size_t* indices, size_t attribute_count,
                                 cudaStream_t stream) {
    return answer(__func__, [&](const Call& call) {
        const bool named = targets && sources && sizes && attributes && indices;
        if (!named || count == 0 || attribute_count == 0 || attribute_count > count) return cudaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
            const auto what = Transfer::flat(targets[i], sources[i], sizes[i], cudaMemcpyDefault);
            if (const auto error = transfer(call, what, stream, Waiting::asynchronous); error != cudaSuccess)
                return error;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaMemset(void* target, int value, size_t bytes) {
    return set(__func__, {target, bytes, bytes, 1, value}, nullptr);
}

cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
    return set(__func__, {target, bytes, bytes, 1, value}, stream);
}

cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
    return set(__func__, {target, pitch, width, height, value}, nullptr);
}

cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return set(__func__, {target, pitch, width, height, value}, stream);
}

}  // extern "C"
}  // namespace tocuda::simulator
