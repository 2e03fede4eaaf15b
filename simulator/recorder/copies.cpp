// tocuda, Apache-2.0.
// Records copies and fills.
#include <cuda_runtime_api.h>

#include "recorder/next.hpp"

namespace tocuda::simulator {
namespace {

using Totals = tocuda_recorder_totals;

bool on_device(const void* pointer) {
    cudaPointerAttributes attributes{};
    return next<&cudaPointerGetAttributes>("cudaPointerGetAttributes")(&attributes, pointer) == cudaSuccess &&
           (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged);
}

// The actual direction of a copy whose kind is cudaMemcpyDefault.
cudaMemcpyKind settled(cudaMemcpyKind kind, const void* target, const void* source) {
    if (kind != cudaMemcpyDefault) return kind;
    if (on_device(target)) return on_device(source) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    return on_device(source) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

tocuda_recorder_traffic Totals::* field_of(cudaMemcpyKind kind, const void* target, const void* source) {
    switch (settled(kind, target, source)) {
        case cudaMemcpyHostToDevice:
            return PinnedRanges::here().holds(source) ? &Totals::host_to_device_pinned
                                                      : &Totals::host_to_device_pageable;
        case cudaMemcpyDeviceToHost:
            return PinnedRanges::here().holds(target) ? &Totals::device_to_host_pinned
                                                      : &Totals::device_to_host_pageable;
        case cudaMemcpyDeviceToDevice:
            return &Totals::device_to_device;
        default:
            return &Totals::host_to_host;
    }
}

cudaError_t copied(cudaError_t result, cudaMemcpyKind kind, const void* target, const void* source, std::size_t bytes,
                   bool asynchronous) {
    if (!succeeded(result)) return result;
    Counters::here().add(field_of(kind, target, source), bytes);
    if (asynchronous) Counters::here().add(&Totals::asynchronous_copies);
    return result;
}

cudaError_t filled(cudaError_t result, std::size_t bytes) {
    if (succeeded(result)) Counters::here().add(&Totals::memsets, bytes);
    return result;
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
    return copied(next<&cudaMemcpy>(__func__)(target, source, bytes, kind), kind, target, source, bytes, false);
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return copied(next<&cudaMemcpyAsync>(__func__)(target, source, bytes, kind, stream), kind, target, source, bytes,
                  true);
}

cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    return copied(next<&cudaMemcpy2D>(__func__)(target, target_pitch, source, source_pitch, width, height, kind), kind,
                  target, source, width * height, false);
}

cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copied(
        next<&cudaMemcpy2DAsync>(__func__)(target, target_pitch, source, source_pitch, width, height, kind, stream),
        kind, target, source, width * height, true);
}

cudaError_t cudaMemcpyPeer(void* target, int target_device, const void* source, int source_device, size_t bytes) {
    return copied(next<&cudaMemcpyPeer>(__func__)(target, target_device, source, source_device, bytes),
                  cudaMemcpyDeviceToDevice, target, source, bytes, false);
}

cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device, size_t bytes,
                                cudaStream_t stream) {
    return copied(next<&cudaMemcpyPeerAsync>(__func__)(target, target_device, source, source_device, bytes, stream),
                  cudaMemcpyDeviceToDevice, target, source, bytes, true);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
    const bool from_host = kind != cudaMemcpyDeviceToDevice && !(kind == cudaMemcpyDefault && on_device(source));
    const cudaMemcpyKind meant = from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
    return copied(next<&cudaMemcpyToSymbol>(__func__)(symbol, source, bytes, offset, kind), meant, symbol, source,
                  bytes, false);
}

cudaError_t cudaMemset(void* target, int value, size_t bytes) {
    return filled(next<&cudaMemset>(__func__)(target, value, bytes), bytes);
}

cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream) {
    return filled(next<&cudaMemsetAsync>(__func__)(target, value, bytes, stream), bytes);
}

cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
    return filled(next<&cudaMemset2D>(__func__)(target, pitch, value, width, height), width * height);
}

cudaError_t cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    return filled(next<&cudaMemset2DAsync>(__func__)(target, pitch, value, width, height, stream), width * height);
}

}  // extern "C"
}  // namespace tocuda::simulator
