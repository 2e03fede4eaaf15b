// tocuda, Apache-2.0.
// Records launches, and the registrations that give kernels their names.
#include <cuda_runtime_api.h>

#include "recorder/launch_log.hpp"
#include "recorder/next.hpp"

namespace tocuda::simulator {
namespace {

cudaError_t launched(cudaError_t result, const void* kernel, dim3 grid, dim3 block, cudaStream_t stream) {
    if (!succeeded(result)) return result;
    Counters::here().add(&tocuda_recorder_totals::launches);
    LaunchLog::here().add(kernel, stream, {grid.x, grid.y, grid.z, block.x, block.y, block.z});
    return result;
}

}  // namespace

extern "C" {

void __cudaRegisterFunction(void** handle, const char* function, char* device_function, const char* name, int limit,
                            uint3* thread, uint3* block, dim3* block_shape, dim3* grid_shape, int* warp) {
    LaunchLog::here().add_name(function, name);
    next<&__cudaRegisterFunction>(__func__)(handle, function, device_function, name, limit, thread, block, block_shape,
                                            grid_shape, warp);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    const cudaError_t result = next<&__cudaGetKernel>(__func__)(kernel, function);
    if (result == cudaSuccess) LaunchLog::here().add_handle(*kernel, function);
    return result;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
    return launched(next<&__cudaLaunchKernel>(__func__)(kernel, grid, block, arguments, shared_bytes, stream), kernel,
                    grid, block, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    return launched(next<&cudaLaunchKernel>(__func__)(function, grid, block, arguments, shared_bytes, stream), function,
                    grid, block, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
    return launched(
        next<&cudaLaunchCooperativeKernel>(__func__)(function, grid, block, arguments, shared_bytes, stream), function,
        grid, block, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    return launched(next<&cudaLaunchKernelExC>(__func__)(config, function, arguments), function, config->gridDim,
                    config->blockDim, config->stream);
}

}  // extern "C"
}  // namespace tocuda::simulator
