// tocuda, Apache-2.0.
// Owned memory of the current GPU, and copies to it and back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "measurement/cuda_error.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

class DeviceMemory {
public:
    explicit DeviceMemory(std::size_t bytes) {
        void* fresh = nullptr;
        require("cudaMalloc", cudaMalloc(&fresh, bytes));
        handle.reset(static_cast<std::byte*>(fresh));
    }
    std::byte* get() const { return handle.get(); }

private:
    struct Free {
        void operator()(std::byte* memory) const { cudaFree(memory); }
    };
    std::unique_ptr<std::byte, Free> handle{};
};

// Both wait until the bytes have arrived.
inline void upload(std::byte* to, std::span<const std::byte> from, const Stream& stream) {
    require("cudaMemcpyAsync", cudaMemcpyAsync(to, from.data(), from.size(), cudaMemcpyHostToDevice, stream.get()));
    stream.synchronize();
}

inline void download(std::span<std::byte> to, const std::byte* from, const Stream& stream) {
    require("cudaMemcpyAsync", cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();
}

inline std::size_t free_device_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    require("cudaMemGetInfo", cudaMemGetInfo(&free, &total));
    return free;
}

// One value in host memory that the GPU can access too.
template <class Content>
class MappedMemory {
    static_assert(std::is_trivially_destructible_v<Content>);

public:
    MappedMemory() {
        void* fresh = nullptr;
        require("cudaHostAlloc", cudaHostAlloc(&fresh, sizeof(Content), cudaHostAllocMapped));
        handle.reset(new (fresh) Content{});
        void* seen = nullptr;
        require("cudaHostGetDevicePointer", cudaHostGetDevicePointer(&seen, fresh, 0));
        from_device = static_cast<Content*>(seen);
    }
    Content* host() const { return handle.get(); }
    Content* device() const { return from_device; }

private:
    struct Free {
        void operator()(Content* memory) const { cudaFreeHost(memory); }
    };
    std::unique_ptr<Content, Free> handle{};
    Content* from_device = nullptr;
};

}  // namespace tocuda
