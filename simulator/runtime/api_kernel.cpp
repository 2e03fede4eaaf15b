// tocuda, Apache-2.0.
// The runtime's functions for kernels: launches, attributes, occupancy, device variables.
#include <algorithm>

#include "runtime/allocation.hpp"
#include "runtime/kernel_launch.hpp"
#include "runtime/transfer.hpp"

namespace tocuda::simulator {
namespace {

template <typename Body>
cudaError_t with_kernel(const char* name, const void* function, Body&& body) {
    return answer(name, [&](const Call& call) -> cudaError_t {
        Kernel* kernel = KernelRegistry::here().kernel(function);
        return kernel ? body(call, *kernel) : cudaErrorInvalidDeviceFunction;
    });
}

cudaError_t place_of(const Call& call, const void* symbol, void** place, std::size_t* bytes) {
    Variable* variable = KernelRegistry::here().variable(symbol);
    if (!variable) return cudaErrorInvalidSymbol;
    *bytes = variable->bytes;
    void*& known = variable->places[call.thread.device];
    cudaError_t result = cudaSuccess;
    if (!known) result = take_device_memory(call.simulation, call.device(), variable->bytes, &known);
    *place = known;
    return result;
}

// The device code is not read: every kernel is assumed to use this many registers and no static shared memory.
constexpr int assumed_registers = 32;

// How many blocks fit on one multiprocessor: limited by threads, blocks, registers (by the warp, in steps of 256) and
// shared memory.
int blocks_per_multiprocessor(const SimulatedGpu& gpu, int block_threads, std::size_t dynamic_shared_bytes) {
    if (block_threads <= 0 || block_threads > gpu.threads_per_block) return 0;
    if (static_cast<std::int64_t>(dynamic_shared_bytes) > gpu.shared_per_block_optin) return 0;
    const std::int64_t warps = (block_threads + 31) / 32;
    const std::int64_t registers = warps * 32 * assumed_registers;
    const std::int64_t shared =
        static_cast<std::int64_t>((dynamic_shared_bytes + 127) / 128 * 128) + gpu.shared_reserved_per_block;
    std::int64_t blocks = std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / (warps * 32));
    blocks = std::min(blocks, gpu.registers_per_multiprocessor / registers);
    if (shared > 0) blocks = std::min(blocks, gpu.shared_per_multiprocessor / shared);
    return static_cast<int>(blocks);
}

std::size_t shared_bytes_left(const SimulatedGpu& gpu, int blocks) {
    const std::int64_t each = gpu.shared_per_multiprocessor / std::max(1, blocks) - gpu.shared_reserved_per_block;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(each / 128 * 128, 0, gpu.shared_per_block_optin));
}

constexpr unsigned largest_cluster = 16;  // more than 8 only if a kernel allows it, which is not checked

// Blocks of a cluster share a group of multiprocessors, so the grid must consist of whole clusters.
cudaError_t check_cluster(const SimulatedGpu& gpu, const cudaLaunchConfig_t& config) {
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
        const auto& cluster = config.attrs[i].val.clusterDim;
        if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0) return cudaErrorInvalidClusterSize;
        const unsigned blocks = cluster.x * cluster.y * cluster.z;
        if (blocks > 1 && gpu.cluster_launch == 0) return cudaErrorNotSupported;
        if (blocks > largest_cluster) return cudaErrorInvalidClusterSize;
        const auto& grid = config.gridDim;
        if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
            return cudaErrorInvalidConfiguration;
    }
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t __cudaGetKernel(cudaKernel_t* result, const void* function) {
    Kernel* kernel = KernelRegistry::here().kernel(function);
    if (!kernel) return remembered(cudaErrorInvalidDeviceFunction);
    return remembered(write(result, reinterpret_cast<cudaKernel_t>(kernel)));
}

cudaError_t cudaGetKernel(cudaKernel_t* result, const void* function) { return __cudaGetKernel(result, function); }

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* result, const void* function) {
    return with_kernel(__func__, function, [&](const Call&, Kernel& kernel) {
        return write(result, reinterpret_cast<cudaFunction_t>(&kernel));
    });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
    return with_kernel(__func__, function, [&](const Call&, Kernel& kernel) { return write(name, kernel.name); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
    return answer("cudaLaunchKernel", [&](const Call& call) {
        return launch(call, kernel, {grid, block, shared_bytes, stream, arguments});
    });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
    return answer(__func__, [&](const Call& call) {
        return launch(call, function, {grid, block, shared_bytes, stream, arguments});
    });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
    return answer(__func__, [&](const Call& call) -> cudaError_t {
        const auto& gpu = call.device().profile;
        if (gpu.cooperative_launch == 0) return cudaErrorNotSupported;
        const auto blocks = static_cast<std::int64_t>(grid.x) * grid.y * grid.z;
        const auto threads = static_cast<int>(block.x * block.y * block.z);
        const auto resident = blocks_per_multiprocessor(gpu, threads, shared_bytes) * gpu.multiprocessors;
        if (blocks > resident) return cudaErrorCooperativeLaunchTooLarge;
        return launch(call, function, {grid, block, shared_bytes, stream, arguments});
    });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
    return answer(__func__, [&](const Call& call) {
        if (!config) return cudaErrorInvalidValue;
        if (const cudaError_t wrong = check_cluster(call.device().profile, *config); wrong != cudaSuccess) return wrong;
        return launch(call, function,
                      {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, arguments});
    });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
    return with_kernel(__func__, function, [&](const Call& call, Kernel& kernel) {
        const auto& gpu = call.device().profile;
        const int major = static_cast<int>(gpu.compute_major);
        const int minor = static_cast<int>(gpu.compute_minor);
        const auto code = KernelRegistry::here().code_for(kernel, major, minor);
        if (code.written_for == 0) return cudaErrorNoKernelImageForDevice;
        *attributes = {};
        attributes->maxThreadsPerBlock = static_cast<int>(gpu.threads_per_block);
        attributes->numRegs = assumed_registers;
        attributes->ptxVersion = code.written_for;
        attributes->binaryVersion = code.compiled_for;
        attributes->maxDynamicSharedSizeBytes =
            kernel.dynamic_shared_limit < 0 ? static_cast<int>(gpu.shared_per_block) : kernel.dynamic_shared_limit;
        attributes->preferredShmemCarveout = -1;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
    return with_kernel(__func__, function, [&](const Call& call, Kernel& kernel) {
        if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
        if (value < 0 || value > call.device().profile.shared_per_block_optin) return cudaErrorInvalidValue;
        kernel.dynamic_shared_limit = value;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
    return with_kernel(__func__, function, [](const Call&, Kernel&) { return cudaSuccess; });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                   size_t shared_bytes, unsigned) {
    return with_kernel("cudaOccupancyMaxActiveBlocksPerMultiprocessor", function, [&](const Call& call, Kernel&) {
        if (threads <= 0) return cudaErrorInvalidValue;
        return write(blocks, blocks_per_multiprocessor(call.device().profile, threads, shared_bytes));
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int) {
    return with_kernel(__func__, function, [&](const Call& call, Kernel&) {
        return write(bytes, shared_bytes_left(call.device().profile, blocks));
    });
}

cudaError_t cudaGetSymbolAddress(void** result, const void* symbol) {
    return answer(__func__, [&](const Call& call) {
        std::size_t bytes = 0;
        return result ? place_of(call, symbol, result, &bytes) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGetSymbolSize(size_t* result, const void* symbol) {
    return answer(__func__, [&](const Call& call) {
        void* place = nullptr;
        return result ? place_of(call, symbol, &place, result) : cudaErrorInvalidValue;
    });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
    return answer(__func__, [&](const Call& call) -> cudaError_t {
        void* place = nullptr;
        std::size_t bytes = 0;
        if (const cudaError_t wrong = place_of(call, symbol, &place, &bytes); wrong != cudaSuccess) return wrong;
        if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
        return transfer(call, Transfer::flat(static_cast<char*>(place) + offset, source, count, kind), nullptr,
                        Waiting::blocking);
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
