// tocuda, Apache-2.0.
// A memory pool of the stream-ordered allocator: reserves in steps of 32 MiB and allocates from them in multiples of
// 512 bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>

namespace tocuda::simulator {

class Device;
class Simulation;

class Pool {
public:
    explicit Pool(int of_device) : device(of_device) {}
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    const int device;
    std::uint64_t release_threshold = 0;
    std::uint64_t reserved = 0;
    std::uint64_t reserved_high = 0;
    std::uint64_t used = 0;
    std::uint64_t used_high = 0;
    std::map<int, int> switches;  // attributes that are only stored

    std::uintptr_t take(Device& of, std::size_t bytes);  // 0 if the device has no memory left
    void give_back(std::uintptr_t address);
    // Returns unused chunks to the device until no more than `keep` is reserved.
    void trim(Simulation& simulation, Device& of, std::uint64_t keep);

    static std::size_t rounded(std::size_t bytes) { return (bytes + 511) / 512 * 512; }

private:
    bool reserve(Device& of, std::size_t bytes);

    std::map<std::uintptr_t, std::size_t> reserved_chunks;
    std::map<std::uintptr_t, std::size_t> free_ranges;
    std::map<std::uintptr_t, std::size_t> given;
};

struct Call;

// cudaMallocAsync without its place in a stream's order.
cudaError_t take_from_pool(const Call& call, Pool& pool, void** result, std::size_t bytes);

// Trims the pools of a device to their thresholds after a wait.
void trim_after_wait(Simulation& simulation, int device);

}  // namespace tocuda::simulator
