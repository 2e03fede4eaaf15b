// tocuda, Apache-2.0.
// Copies and fills: checks their ends as the runtime does, computes their cost, and performs them in stream order.
#pragma once

#include "runtime/answer.hpp"

namespace tocuda::simulator {

enum class Waiting { blocking, asynchronous };

struct Transfer {
    void* target = nullptr;
    std::size_t target_pitch = 0;
    const void* source = nullptr;
    std::size_t source_pitch = 0;
    std::size_t width = 0;  // bytes per row
    std::size_t height = 1;
    cudaMemcpyKind kind = cudaMemcpyDefault;

    std::size_t target_extent() const { return height == 0 || width == 0 ? 0 : (height - 1) * target_pitch + width; }
    std::size_t source_extent() const { return height == 0 || width == 0 ? 0 : (height - 1) * source_pitch + width; }

    static Transfer flat(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
        return {target, bytes, source, bytes, bytes, 1, kind};
    }
};

cudaError_t transfer(const Call& call, const Transfer& what, cudaStream_t stream, Waiting waiting);

struct Fill {
    void* target = nullptr;
    std::size_t pitch = 0;
    std::size_t width = 0;
    std::size_t height = 1;
    int value = 0;
    unsigned element_bytes = 1;  // of the value, which is repeated

    std::size_t extent() const { return height == 0 || width == 0 ? 0 : (height - 1) * pitch + width; }
};

// Check a copy or a fill and make the operation that performs it once, with this device as the current one.
cudaError_t make_operation(const Call& call, Device& here, const Transfer& what, Operation& operation);
cudaError_t make_operation(const Call& call, Device& here, const Fill& what, Operation& operation);

cudaError_t fill(const Call& call, const Fill& what, cudaStream_t stream);

}  // namespace tocuda::simulator
