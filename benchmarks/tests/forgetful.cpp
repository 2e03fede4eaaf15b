// tocuda, Apache-2.0.
// A library that the tests preload before a CUDA runtime: its copies omit the last byte, the last row of a rectangle,
// or the last slice of a box, and its fills the last byte of managed memory.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstddef>

namespace {

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

constexpr std::size_t spared = 64;  // copies of 2 to so many bytes stay complete: checks use them

}  // namespace

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    static const auto copy = next<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
    return copy(to, from, bytes > spared || bytes == 1 ? bytes - 1 : bytes, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    static const auto copy = next<decltype(cudaMemcpy2DAsync)>("cudaMemcpy2DAsync");
    return copy(to, to_pitch, from, from_pitch, width, height - 1, kind, stream);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    static const auto copy = next<decltype(cudaMemcpyPeerAsync)>("cudaMemcpyPeerAsync");
    return copy(to, to_device, from, from_device, bytes - 1, stream);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
    static const auto copy = next<decltype(cudaMemcpy3DAsync)>("cudaMemcpy3DAsync");
    auto less = *box;
    --less.extent.depth;
    return copy(&less, stream);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
    static const auto add = next<decltype(cudaGraphAddMemcpyNode)>("cudaGraphAddMemcpyNode");
    auto less = *parameters;
    --less.extent.width;
    return add(node, graph, after, count, &less);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    static const auto fill = next<decltype(cudaMemsetAsync)>("cudaMemsetAsync");
    cudaPointerAttributes found{};
    const bool managed = cudaPointerGetAttributes(&found, to) == cudaSuccess && found.type == cudaMemoryTypeManaged;
    return fill(to, value, managed ? bytes - 1 : bytes, stream);
}
}
