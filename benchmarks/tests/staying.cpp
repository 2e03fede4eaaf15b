// tocuda, Apache-2.0.
// A library that the tests preload before a CUDA runtime: prefetching does nothing, and managed memory is advised to
// stay on the host, where every GPU reads it.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

extern "C" {

cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
    static const auto allocate = reinterpret_cast<decltype(&cudaMallocManaged)>(dlsym(RTLD_NEXT, "cudaMallocManaged"));
    const cudaMemLocation host{.type = cudaMemLocationTypeHost, .id = 0};
    const auto answer = allocate(result, bytes, flags);
    int count = 0;
    if (answer != cudaSuccess || cudaGetDeviceCount(&count) != cudaSuccess) return answer;
    cudaMemAdvise(*result, bytes, cudaMemAdviseSetPreferredLocation, host);
    for (int gpu = 0; gpu < count; ++gpu)
        cudaMemAdvise(*result, bytes, cudaMemAdviseSetAccessedBy, {.type = cudaMemLocationTypeDevice, .id = gpu});
    return answer;
}

cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) { return cudaSuccess; }
}
