// tocuda, Apache-2.0.
// Memory of several GPUs behind one address: what one of them stores there, the switch between them brings to all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/allocate/virtual_memory.hpp"

namespace tocuda {

// Returns what is needed and what the driver says. Empty if the first GPUs of this process, so many, can have it.
std::string why_no_multicast(int gpus);

// Throws a CudaError that names the driver's function.
class MulticastMemory {
public:
    MulticastMemory(int gpus, std::size_t least_bytes);
    MulticastMemory(const MulticastMemory&) = delete;
    MulticastMemory& operator=(const MulticastMemory&) = delete;
    ~MulticastMemory();

    std::byte* of_all() const { return reinterpret_cast<std::byte*>(address); }
    std::byte* of(int gpu) const { return parts[static_cast<std::size_t>(gpu)]->at(); }

private:
    void take_back();

    std::size_t bytes = 0;
    std::vector<std::unique_ptr<VirtualMemory>> parts{};  // of each GPU
    std::uint64_t handle = 0;
    std::uint64_t address = 0;
    int bound = 0;  // GPUs whose part is
    bool mapped = false;
};

}  // namespace tocuda
