// tocuda, Apache-2.0.
// What compiled CUDA programs call before main: their device code, its kernels and its variables; and the launch syntax's two calls.
#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <vector>

#include "runtime/kernel_registry.hpp"

using tocuda::stand_in::KernelRegistry;
using tocuda::stand_in::Module;

namespace {

struct Configuration {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes;
    void* stream;
};

std::vector<Configuration>& configurations() {
    static thread_local std::vector<Configuration> pushed;
    return pushed;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) { return reinterpret_cast<void**>(KernelRegistry::here().add_module(wrapper)); }

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) { KernelRegistry::here().remove_module(reinterpret_cast<Module*>(handle)); }

void __cudaRegisterFunction(void** handle, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    KernelRegistry::here().add_kernel(reinterpret_cast<Module*>(handle), function, name);
}

void __cudaRegisterVar(void**, char* symbol, char*, const char* name, int, size_t bytes, int, int) {
    KernelRegistry::here().add_variable(symbol, name, bytes);
}

char __cudaInitModule(void**) { return 1; }

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
    configurations().push_back({grid, block, shared_bytes, stream});
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
    if (configurations().empty()) return cudaErrorMissingConfiguration;
    const Configuration top = configurations().back();
    configurations().pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared_bytes = top.shared_bytes;
    *static_cast<void**>(stream) = top.stream;
    return cudaSuccess;
}

}  // extern "C"
