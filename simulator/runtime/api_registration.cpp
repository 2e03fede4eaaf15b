// tocuda, Apache-2.0.
// The functions that compiled CUDA programs call before main to register device code, kernels and variables, and the
// two behind the launch syntax.
#include <cuda_runtime_api.h>
#include <vector_types.h>

#include "runtime/kernel_registry.hpp"

namespace tocuda::simulator {
namespace {

struct Configuration {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    void* stream;
};

// A stack, because the arguments of a launch may contain another launch, though they hardly ever do. Trivially
// destructible, because the program may already be ending.
struct Configurations {
    static constexpr std::size_t most = 64;
    Configuration pushed[most];
    std::size_t count;
};

Configurations& configurations() {
    static thread_local Configurations of_thread;
    return of_thread;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
    return reinterpret_cast<void**>(KernelRegistry::here().add_module(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
    KernelRegistry::here().remove_module(reinterpret_cast<Module*>(handle));
}

void __cudaRegisterFunction(void** handle, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {
    KernelRegistry::here().add_kernel(reinterpret_cast<Module*>(handle), function, name);
}

void __cudaRegisterVar(void**, char* symbol, char*, const char* name, int, size_t bytes, int, int) {
    KernelRegistry::here().add_variable(symbol, name, bytes);
}

char __cudaInitModule(void**) { return 1; }

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
    Configurations& mine = configurations();
    if (mine.count == Configurations::most) return 1;
    mine.pushed[mine.count++] = {grid, block, shared_bytes, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
    if (configurations().count == 0) return cudaErrorMissingConfiguration;
    const Configuration top = configurations().pushed[--configurations().count];
    *grid = top.grid;
    *block = top.block;
    *shared_bytes = top.shared_bytes;
    *static_cast<void**>(stream) = top.stream;
    return cudaSuccess;
}

}  // extern "C"
}  // namespace tocuda::simulator
