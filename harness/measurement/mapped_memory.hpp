// tocuda, Apache-2.0.
// One value in host memory that the GPU can access too.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <new>
#include <type_traits>

#include "measurement/cuda_error.hpp"

namespace tocuda {

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
