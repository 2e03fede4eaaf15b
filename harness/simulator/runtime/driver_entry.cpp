// tocuda, Apache-2.0.
// Looks driver functions up by name. Every name is found: LibTorch gives up if one is missing, even if it would never
// call it.
#include <cuda.h>
#include <dlfcn.h>

#include <string>

#include "runtime/answer.hpp"
#include "runtime/unsupported.hpp"

namespace {

int refuse_unnamed() { return tocuda::simulator::unsupported("a driver function of unknown name"); }

// This library, however it was loaded.
void* own_handle() {
    static void* const handle = [] {
        Dl_info here{};
        ::dladdr(reinterpret_cast<const void*>(&refuse_unnamed), &here);
        return ::dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    }();
    return handle;
}

void* find(const char* name) {
    void* found = ::dlsym(own_handle(), (std::string(name) + "_v2").c_str());
    if (found == nullptr) found = ::dlsym(own_handle(), name);
    return found != nullptr ? found : reinterpret_cast<void*>(&refuse_unnamed);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
    if (name == nullptr || function == nullptr) return tocuda::simulator::remembered(cudaErrorInvalidValue);
    *function = find(name);
    if (status != nullptr) *status = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* status) {
    if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *function = find(name);
    if (status != nullptr) *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return CUDA_SUCCESS;
}

}  // extern "C"
