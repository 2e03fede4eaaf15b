// tocuda, Apache-2.0.
// The driver's functions for modules, libraries and their kernels, which programs use for code that is compiled at run
// time (LibTorch through NVRTC, for example). Such kernels are launched and counted like those of libraries.
#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "runtime/driver_forward.hpp"
#include "runtime/kernel_registry.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

constexpr const char* of_triton = "a kernel of Triton (one of torch.compile: TORCH_COMPILE_DISABLE=1 runs without it)";

// A kernel of a module: its address is the kernel's handle, so it is kept for good.
struct LoadedKernel {
    std::string name;
};

struct LoadedModule {
    std::string image;  // the program may free its own; empty if its extent is unknown
    std::unordered_map<std::string, std::unique_ptr<LoadedKernel>> kernels{};
};

class LoadedModules {
public:
    static LoadedModules& here() {
        static LoadedModules* const only = new LoadedModules;
        return *only;
    }

    LoadedModule* load(std::string_view image) {
        const std::lock_guard lock(changing);
        auto* module = new LoadedModule{.image = std::string(image)};
        loaded.insert(module);
        return module;
    }
    // The module's kernels may still be in a graph, so only its handle ends.
    bool unload(const void* module) {
        const std::lock_guard lock(changing);
        return loaded.erase(module) != 0;
    }
    CUresult find(void* handle, const char* name, const void*& kernel) {
        const std::lock_guard lock(changing);
        if (!loaded.contains(handle)) return CUDA_ERROR_INVALID_HANDLE;
        auto& module = *static_cast<LoadedModule*>(handle);
        auto& known = module.kernels[name];
        if (!known) {
            if (!module.image.empty() && module.image.find(name) == std::string::npos) {
                module.kernels.erase(name);
                return CUDA_ERROR_NOT_FOUND;
            }
            known = std::make_unique<LoadedKernel>(LoadedKernel{name});
            KernelRegistry::here().add_kernel(nullptr, known.get(), known->name.c_str());
        }
        kernel = known.get();
        return CUDA_SUCCESS;
    }

private:
    std::mutex changing;
    std::unordered_set<const void*> loaded;
};

// Machine code says how long it is, PTX is a text; the extent of anything else is unknown.
std::string_view extent_of(const void* image) {
    const auto* bytes = static_cast<const char*>(image);
    if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        Elf64_Ehdr header;
        std::memcpy(&header, bytes, sizeof header);
        return {bytes, header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize};
    }
    const bool is_text = *bytes == '/' || *bytes == '.' || *bytes == '\n';
    return is_text ? std::string_view(bytes) : std::string_view();
}

// Kernels of Triton carry most of a program's arithmetic, and nothing would be right without them.
bool is_triton(const void* caller) {
    Dl_info library{};
    if (::dladdr(caller, &library) == 0 || !library.dli_fname) return false;
    const std::string_view path = library.dli_fname;
    return path.find("triton") != std::string_view::npos || path.find("cuda_utils") != std::string_view::npos;
}

template <typename Handle>
CUresult load(Handle* handle, const void* image, const void* caller) {
    if (!handle || !image) return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t refusal = Simulation::here().refusal();
    if (refusal != cudaSuccess) return static_cast<CUresult>(refusal);
    if (is_triton(caller)) return static_cast<CUresult>(unsupported(of_triton));
    *handle = reinterpret_cast<Handle>(LoadedModules::here().load(extent_of(image)));
    return CUDA_SUCCESS;
}

template <typename Handle>
CUresult find(Handle* handle, void* module, const char* name) {
    if (!handle || !name) return CUDA_ERROR_INVALID_VALUE;
    const void* kernel = nullptr;
    const CUresult found = LoadedModules::here().find(module, name, kernel);
    if (found == CUDA_SUCCESS) *handle = reinterpret_cast<Handle>(const_cast<void*>(kernel));
    return found;
}

template <typename Handle>
CUresult unload(Handle module) {
    return LoadedModules::here().unload(module) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult attribute_of(int* value, CUfunction_attribute attribute, const void* kernel) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    cudaFuncAttributes all{};
    const CUresult got = forward(cudaFuncGetAttributes, &all, kernel);
    if (got != CUDA_SUCCESS) return got;
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            *value = all.maxThreadsPerBlock;
            break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS:
            *value = all.numRegs;
            break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            *value = all.ptxVersion;
            break;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
            *value = all.binaryVersion;
            break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *value = all.maxDynamicSharedSizeBytes;
            break;
        default:
            *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult set_attribute(const void* kernel, CUfunction_attribute attribute, int value) {
    return forward(cudaFuncSetAttribute, kernel, static_cast<cudaFuncAttribute>(attribute), value);
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return load(module, image, __builtin_return_address(0));
}
// LibTorch loads what torch.compile has made from a file; nothing else that it uses does.
CUresult cuModuleLoad(CUmodule*, const char*) {
    return static_cast<CUresult>(
        unsupported("a kernel compiled while the program runs (cuModuleLoad; of torch.compile: TORCH_COMPILE_DISABLE=1 "
                    "runs without it)"));
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
    return load(module, image, __builtin_return_address(0));
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    return load(module, image, __builtin_return_address(0));
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    return find(function, module, name);
}
CUresult cuModuleUnload(CUmodule module) { return unload(module); }

CUresult cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*,
                           void**, unsigned) {
    return load(library, image, __builtin_return_address(0));
}
CUresult cuLibraryUnload(CUlibrary library) { return unload(library); }
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    return find(kernel, library, name);
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    *module = reinterpret_cast<CUmodule>(library);
    return CUDA_SUCCESS;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    *function = reinterpret_cast<CUfunction>(kernel);
    return CUDA_SUCCESS;
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
    return attribute_of(value, attribute, kernel);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice) {
    return set_attribute(kernel, attribute, value);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    return attribute_of(value, attribute, function);
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return set_attribute(function, attribute, value);
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
    return forward(cudaFuncSetCacheConfig, static_cast<const void*>(function), cudaFuncCachePreferNone);
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
    return forward(cudaFuncGetName, name, static_cast<const void*>(function));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared_bytes) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t shared_bytes, unsigned flags) {
    return forward(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, blocks, static_cast<const void*>(function),
                   threads, shared_bytes, flags);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments,
                        void**) {
    return forward(cudaLaunchKernel, static_cast<const void*>(function), dim3(grid_x, grid_y, grid_z),
                   dim3(block_x, block_y, block_z), arguments, std::size_t{shared_bytes}, stream);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void** arguments) {
    return forward(cudaLaunchCooperativeKernel, static_cast<const void*>(function), dim3(grid_x, grid_y, grid_z),
                   dim3(block_x, block_y, block_z), arguments, std::size_t{shared_bytes}, stream);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                          config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, arguments,
                          extra);
}

}  // extern "C"
}  // namespace tocuda::simulator
