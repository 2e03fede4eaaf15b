// tocuda, Apache-2.0.
// Owned managed memory, whose pages move between host and GPU by themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "measurement/cuda_objects.hpp"
#include "measurement/parameter.hpp"

namespace tocuda {

inline constexpr std::int64_t most_managed = gib;  // using more than the GPU has free can hang it

class ManagedMemory {
public:
    explicit ManagedMemory(std::size_t bytes) {
        void* fresh = nullptr;
        require("cudaMallocManaged", cudaMallocManaged(&fresh, bytes, cudaMemAttachGlobal));
        memory.reset(static_cast<std::byte*>(fresh));
    }
    std::byte* get() const { return memory.get(); }

private:
    struct Free {
        void operator()(std::byte* taken) const { cudaFree(taken); }
    };
    std::unique_ptr<std::byte, Free> memory{};
};

// Returns why the current GPU has no managed memory. Empty if it has.
std::string why_no_managed_memory();
// Returns why the current GPU cannot move managed pages one by one. Empty if it can.
std::string why_no_managed_pages();

}  // namespace tocuda
