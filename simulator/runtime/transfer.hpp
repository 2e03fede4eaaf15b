// tocuda, Apache-2.0.
// Copies and fills: checks their ends as the runtime does, computes their cost, and performs them in stream order.
#pragma once

#include "runtime/call_frame.hpp"

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
    std::size_t slices = 1;
    std::size_t target_slice = 0;  // bytes from one slice to the next
    std::size_t source_slice = 0;

    bool is_empty() const { return width == 0 || height == 0 || slices == 0; }
    std::size_t bytes() const { return width * height * slices; }
    std::size_t target_extent() const { return extent(target_slice, target_pitch); }
    std::size_t source_extent() const { return extent(source_slice, source_pitch); }
    bool is_dense() const { return target_extent() == bytes() && source_extent() == bytes(); }
    // What every copy by rows requires; cudaSuccess if it is met.
    cudaError_t shape_error() const;

    static Transfer flat(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
        return {target, bytes, source, bytes, bytes, 1, kind};
    }
    static Transfer boxed(const cudaPitchedPtr& target, const cudaPos& to, const cudaPitchedPtr& source,
                          const cudaPos& from, const cudaExtent& extent, cudaMemcpyKind kind);

private:
    std::size_t extent(std::size_t slice, std::size_t pitch) const {
        return is_empty() ? 0 : (slices - 1) * slice + (height - 1) * pitch + width;
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
