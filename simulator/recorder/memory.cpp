// tocuda, Apache-2.0.
// Records allocations and releases of device memory and pinned host memory.
#include <cuda_runtime_api.h>

#include "recorder/next.hpp"

namespace tocuda::simulator {
namespace {

using Totals = tocuda_recorder_totals;

cudaError_t taken(cudaError_t result, std::size_t bytes) {
    if (succeeded(result)) Counters::here().add(&Totals::device_allocations, bytes);
    return result;
}

cudaError_t pinned(cudaError_t result, tocuda_recorder_traffic Totals::* field, void* const* pointer,
                   std::size_t bytes) {
    if (!succeeded(result)) return result;
    Counters::here().add(field, bytes);
    PinnedRanges::here().add(*pointer, bytes);
    return result;
}

cudaError_t counted(cudaError_t result, std::uint64_t Totals::* field, const void* pointer) {
    if (succeeded(result) && pointer) Counters::here().add(field);
    return result;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** result, size_t bytes) { return taken(next<&cudaMalloc>(__func__)(result, bytes), bytes); }

cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
    return taken(next<&cudaMallocManaged>(__func__)(result, bytes, flags), bytes);
}

cudaError_t cudaMallocAsync(void** result, size_t bytes, cudaStream_t stream) {
    return taken(next<&cudaMallocAsync>(__func__)(result, bytes, stream), bytes);
}

cudaError_t cudaMallocFromPoolAsync(void** result, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return taken(next<&cudaMallocFromPoolAsync>(__func__)(result, bytes, pool, stream), bytes);
}

cudaError_t cudaFree(void* pointer) {
    return counted(next<&cudaFree>(__func__)(pointer), &Totals::device_frees, pointer);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return counted(next<&cudaFreeAsync>(__func__)(pointer, stream), &Totals::device_frees, pointer);
}

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
    return pinned(next<&cudaHostAlloc>(__func__)(result, bytes, flags), &Totals::host_allocations, result, bytes);
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
    return pinned(next<&cudaMallocHost>(__func__)(result, bytes), &Totals::host_allocations, result, bytes);
}

// Removed first: another thread may get the same address as soon as it is free.
cudaError_t cudaFreeHost(void* pointer) {
    PinnedRanges::here().remove(pointer);
    return counted(next<&cudaFreeHost>(__func__)(pointer), &Totals::host_frees, pointer);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return pinned(next<&cudaHostRegister>(__func__)(pointer, bytes, flags), &Totals::host_registrations, &pointer,
                  bytes);
}

cudaError_t cudaHostUnregister(void* pointer) {
    PinnedRanges::here().remove(pointer);
    const cudaError_t result = next<&cudaHostUnregister>(__func__)(pointer);
    succeeded(result);
    return result;
}

}  // extern "C"
}  // namespace tocuda::simulator
