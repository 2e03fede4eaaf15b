// tocuda, Apache-2.0.
// The functions here take the place of those of the CUDA runtime library that the test is linked with.
#include "kernels/direct_runtime_test.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "measurement/host_launch.hpp"

namespace tocuda {
namespace {

std::map<const void*, tocuda_host_kernel>& kernels_by_function() {
    static std::map<const void*, tocuda_host_kernel> kernels;
    return kernels;
}

}  // namespace

Launches& launches() {
    static Launches all;
    return all;
}

Parameters first_set(const Kernel& kernel, std::size_t bytes) {
    Parameters set{{"bytes", bytes}};
    for (const auto& [name, values] : kernel.parameters)
        if (name != "bytes") set[name] = (values.empty() ? kernel.full.at(name) : values).front();
    return set;
}

std::string wrong(const Kernel& kernel, const Parameters& set, const Launches& how, Offsets offsets) {
    const Setting setting{set, small_gpu()};
    if (!why_skipped(kernel, setting).empty()) return "";
    const auto sizes = kernel.arrays(setting).bytes;
    const auto start = kernel_guard_bytes + offsets.to;
    std::vector<AlignedBytes> memory;
    memory.push_back(aligned_bytes(start + sizes[0] + kernel_guard_bytes));
    Arrays arrays{memory[0].get() + start};
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        const auto offset = i > 1 ? 0 : offsets.from + (kernel.offset ? kernel.offset(setting) : 0);
        memory.push_back(aligned_bytes(offset + sizes[i]));
        arrays.push_back(memory[i].get() + offset);
    }
    const auto expected = aligned_bytes(sizes[0]);
    const Stream stream;
    const auto operation = kernel.operation(setting);
    return what_differs(kernel, setting, arrays, expected.get(), stream, [&] {
        launches() = how;
        operation(stream, arrays);
        launches() = {};
    });
}

void run_ends(const Kernel& kernel, const Parameters& set, const Arrays& arrays) {
    auto gpu = small_gpu();
    gpu.multiprocessors = 1U << 28;
    const Stream stream;
    launches() = {.ends_only = true};
    kernel.operation({set, gpu})(stream, arrays);
    launches() = {.count = launches().count, .last = launches().last};
}

}  // namespace tocuda

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return *stream = nullptr, cudaSuccess; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) { return *count = 0, cudaSuccess; }
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    *memory = ::operator new(bytes);
    return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
    ::operator delete(memory);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
    if (bytes != 0) std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
    std::memset(to, value, bytes);
    tocuda::launches().last_was_launch = false;
    tocuda::launches().filled += bytes;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return *event = nullptr, cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaHostGetDevicePointer(void** seen, void* memory, unsigned) { return *seen = memory, cudaSuccess; }

int tocuda_simulation_host_kernel_with(const tocuda_host_kernel* kernel, const tocuda_host_kernel_more*) {
    tocuda::kernels_by_function()[kernel->function] = *kernel;
    return 0;
}

cudaError_t cudaLaunchKernel(const void* function, dim3, dim3, void** arguments, std::size_t, cudaStream_t) {
    auto& how = tocuda::launches();
    auto& run = *static_cast<tocuda::HostRun*>(arguments[0]);
    ++how.count;
    how.last = run;
    how.last_was_launch = true;
    run.order = how.order;
    run.blocks = std::min(run.blocks, how.most_blocks);
    const auto& kernel = tocuda::kernels_by_function().at(function);
    if (how.none) return cudaSuccess;
    while (kernel.ready && kernel.ready(arguments, nullptr) == 0) continue;
    if (how.ends_only) {
        run.only = 0;
        kernel.run(arguments, nullptr);
        run.only = run.blocks - 1;
    }
    kernel.run(arguments, nullptr);
    return cudaSuccess;
}

}  // extern "C"
