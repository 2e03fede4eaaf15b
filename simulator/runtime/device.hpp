// tocuda, Apache-2.0.
// One visible simulated GPU: its profile, used memory, streams, and the peers it can access.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>

#include "runtime/address_space.hpp"
#include "runtime/lane.hpp"
#include "runtime/process_counts.hpp"
#include "runtime/variation.hpp"
#include "runtime/virtual_stream.hpp"
#include "simulator/schema/gpu.hpp"

namespace tocuda::simulator {

class Pool;

class Device {
public:
    Device(const SimulatedGpu& gpu, int index, int position, HostMemory& host, const Variation& variation,
           const double& now)
        : profile(gpu), index_in_file(index), number(position),
          addresses(static_cast<std::size_t>(gpu.memory_bytes), index, host), noise(variation), clock(now) {}

    const SimulatedGpu profile;
    const int index_in_file;
    const int number;    // among the visible ones
    unsigned flags = 0;  // of cudaSetDeviceFlags
    AddressSpace addresses;
    std::set<int> peers;
    std::set<Stream*> streams;
    Stream* legacy = nullptr;
    Pool* default_pool = nullptr;
    Pool* current_pool = nullptr;

    // Takes whole granules from the budget; false if there are not enough.
    bool charge(std::size_t bytes) {
        if (!has_room_for(bytes)) return false;
        if (const std::size_t free = free_bytes(); bytes > free) reclaimed += std::min(bytes - free, reclaimable());
        used += bytes;
        raise_to(counts().gpus[static_cast<std::size_t>(index_in_file)].peak_reserved_bytes, used);
        return true;
    }
    void release(std::size_t bytes) { used -= bytes; }

    // Whole granules of the budget, accessible at addresses of the reservation; 0 if there is not enough left.
    std::uintptr_t take(std::size_t bytes) {
        if (!charge(bytes)) return 0;
        const std::uintptr_t address = addresses.take(bytes);
        if (address != 0 && addresses.open(address, bytes)) return address;
        if (address != 0) addresses.give_back(address);
        release(bytes);
        return 0;
    }
    void give_back(std::uintptr_t address, std::size_t bytes) {
        addresses.close(address, bytes);
        addresses.give_back(address);
        release(bytes);
    }
    std::size_t used_bytes() const {
        return used + (holds_context ? static_cast<std::size_t>(profile.context_bytes) : 0);
    }
    // What a process is told that it has.
    std::size_t total_bytes() const {
        const auto all = static_cast<std::size_t>(profile.memory_bytes);
        const auto most = static_cast<std::size_t>(profile.memory_limit_bytes);
        return most > 0 ? std::min(most, all) : all;
    }
    std::size_t free_bytes() const {
        const auto all = static_cast<std::size_t>(profile.memory_bytes);
        const auto others = static_cast<std::size_t>(profile.occupied_bytes) + reclaimable();
        return std::min(less(total_bytes(), used_bytes()), less(all, used_bytes() + others));
    }
    bool has_room_for(std::size_t bytes) const {
        const auto spilled = less(used_bytes() + static_cast<std::size_t>(profile.occupied_bytes),
                                  static_cast<std::size_t>(profile.memory_bytes));
        const auto more = reclaimable() + less(static_cast<std::size_t>(profile.spill_bytes), spilled);
        return bytes <= free_bytes() || bytes - free_bytes() <= more;
    }

    bool has_context() const { return holds_context; }
    void make_context() { holds_context = true; }
    void drop_context() { holds_context = false; }

    // A cost with this GPU's variation applied.
    double cost(double seconds) { return noise.of(seconds, clock); }
    double cost_ns(std::int64_t nanoseconds) { return cost(1e-9 * static_cast<double>(nanoseconds)); }

    double memory_bytes_per_second() const {
        if (profile.memory_bytes_per_second > 0) return static_cast<double>(profile.memory_bytes_per_second);
        return 2e3 * static_cast<double>(profile.memory_clock_khz * profile.memory_bus_bits) / 8;  // both clock edges
    }

    // What a copy occupies. With a single copy engine both directions share it; without one, kernels share it too.
    Lane* to_device() { return &engines[0]; }
    Lane* from_device() { return profile.copy_engines < 2 ? &engines[0] : &engines[1]; }
    Lane* of_kernels() { return profile.copy_engines < 1 ? &engines[0] : nullptr; }
    Lane within;   // copies and fills within its own memory
    Lane peer_in;  // links to other GPUs, one per direction
    Lane peer_out;

private:
    static std::size_t less(std::size_t all, std::size_t taken) { return taken < all ? all - taken : 0; }
    std::size_t reclaimable() const { return static_cast<std::size_t>(profile.reclaimable_bytes) - reclaimed; }

    bool holds_context = false;
    std::size_t used = 0;
    std::size_t reclaimed = 0;  // of what others gave up; it stays free
    std::array<Lane, 2> engines;
    Variation noise;
    const double& clock;
};

}  // namespace tocuda::simulator
