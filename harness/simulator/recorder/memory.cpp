// tocuda, Apache-2.0.
// Records allocations and releases of device memory and pinned host memory.
#include <cuda_runtime_api.h>

#include "recorder/next.hpp"
#include "recorder/pinned_ranges.hpp"

using tocuda::simulator::Counters;
using tocuda::simulator::next;
using tocuda::simulator::noted;
using tocuda::simulator::PinnedRanges;

namespace {

using Totals = tocuda_recorder_totals;

cudaError_t taken(cudaError_t result, std::size_t bytes) {
    noted(result);
    if (result == cudaSuccess) Counters::here().add(&Totals::device_allocations, bytes);
    return result;
}

cudaError_t pinned(cudaError_t result, void* const* pointer, std::size_t bytes) {
    noted(result);
    if (result != cudaSuccess) return result;
    Counters::here().add(&Totals::host_allocations, bytes);
    PinnedRanges::here().add(*pointer, bytes);
    return result;
}

cudaError_t counted(cudaError_t result, std::uint64_t Totals::* field, const void* pointer) {
    noted(result);
    if (result == cudaSuccess && pointer != nullptr) Counters::here().add(field);
    return result;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** result, size_t bytes) {
    static auto* const real = next(static_cast<cudaError_t (*)(void**, size_t)>(nullptr), "cudaMalloc");
    return taken(real(result, bytes), bytes);
}

cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
    static auto* const real =
        next(static_cast<cudaError_t (*)(void**, size_t, unsigned)>(nullptr), "cudaMallocManaged");
    return taken(real(result, bytes, flags), bytes);
}

cudaError_t cudaMallocAsync(void** result, size_t bytes, cudaStream_t stream) {
    static auto* const real =
        next(static_cast<cudaError_t (*)(void**, size_t, cudaStream_t)>(nullptr), "cudaMallocAsync");
    return taken(real(result, bytes, stream), bytes);
}

cudaError_t cudaMallocFromPoolAsync(void** result, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    static auto* const real = next(static_cast<cudaError_t (*)(void**, size_t, cudaMemPool_t, cudaStream_t)>(nullptr),
                                   "cudaMallocFromPoolAsync");
    return taken(real(result, bytes, pool, stream), bytes);
}

cudaError_t cudaFree(void* pointer) {
    static auto* const real = next(&cudaFree, "cudaFree");
    return counted(real(pointer), &Totals::device_frees, pointer);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    static auto* const real = next(&cudaFreeAsync, "cudaFreeAsync");
    return counted(real(pointer, stream), &Totals::device_frees, pointer);
}

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
    static auto* const real = next(static_cast<cudaError_t (*)(void**, size_t, unsigned)>(nullptr), "cudaHostAlloc");
    return pinned(real(result, bytes, flags), result, bytes);
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
    static auto* const real = next(static_cast<cudaError_t (*)(void**, size_t)>(nullptr), "cudaMallocHost");
    return pinned(real(result, bytes), result, bytes);
}

// Removed first: another thread may get the same address as soon as it is free.
cudaError_t cudaFreeHost(void* pointer) {
    static auto* const real = next(&cudaFreeHost, "cudaFreeHost");
    PinnedRanges::here().remove(pointer);
    return counted(real(pointer), &Totals::host_frees, pointer);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    static auto* const real = next(&cudaHostRegister, "cudaHostRegister");
    const cudaError_t result = real(pointer, bytes, flags);
    noted(result);
    if (result != cudaSuccess) return result;
    Counters::here().add(&Totals::host_registrations, bytes);
    PinnedRanges::here().add(pointer, bytes);
    return result;
}

cudaError_t cudaHostUnregister(void* pointer) {
    static auto* const real = next(&cudaHostUnregister, "cudaHostUnregister");
    PinnedRanges::here().remove(pointer);
    const cudaError_t result = real(pointer);
    noted(result);
    return result;
}

}  // extern "C"
