// tocuda, Apache-2.0.
// One visible simulated GPU: what it is, what of its memory is taken, its streams and the peers it may reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <set>

#include "profile/gpu_profile.hpp"
#include "runtime/address_space.hpp"
#include "runtime/stream.hpp"

namespace tocuda::stand_in {

class Pool;

class Device {
public:
    Device(const GpuProfile& gpu, int index, HostMemory& host, std::uint64_t seed)
        : profile(gpu), index_in_file(index), addresses(static_cast<std::size_t>(gpu.memory_bytes), index, host), generator_(seed) {}

    const GpuProfile profile;
    const int index_in_file;
    AddressSpace addresses;
    std::set<int> peers;
    std::set<Stream*> streams;
    Stream* legacy = nullptr;
    Pool* default_pool = nullptr;
    Pool* current_pool = nullptr;

    // Whole granules of the budget; false where they are not there.
    bool charge(std::size_t bytes) {
        if (bytes > free_bytes()) return false;
        used_ += bytes;
        return true;
    }
    void release(std::size_t bytes) { used_ -= bytes; }
    std::size_t used_bytes() const { return used_; }
    std::size_t free_bytes() const {
        const std::size_t taken = used_ + (has_context_ ? static_cast<std::size_t>(profile.context_bytes) : 0);
        const auto all = static_cast<std::size_t>(profile.memory_bytes);
        return taken < all ? all - taken : 0;
    }

    bool has_context() const { return has_context_; }
    void make_context() { has_context_ = true; }

    // A cost as this GPU would have it this time.
    double cost(double seconds) {
        if (profile.noise == 0) return seconds;
        return seconds * std::max(0.1, 1 + profile.noise * std::normal_distribution<double>()(generator_));
    }

private:
    bool has_context_ = false;
    std::size_t used_ = 0;
    std::mt19937_64 generator_;
};

}  // namespace tocuda::stand_in
