// tocuda, Apache-2.0.
// Owned memory of the current GPU, and copies to it and back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>

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

}  // namespace tocuda
