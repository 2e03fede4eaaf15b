// tocuda, Apache-2.0.
// Which allocation an address belongs to: device memory, pinned, registered or managed host memory, or none of the
// runtime's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tocuda::simulator {

class AddressSpace;
class Pool;

enum class MemoryKind { device, pooled, mapped, imported, pinned, registered, managed };

struct Allocation {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    unsigned flags = 0;
    Pool* pool = nullptr;
    AddressSpace* space = nullptr;  // that contains the address; null on the host

    bool on_device() const {
        return kind == MemoryKind::device || kind == MemoryKind::pooled || kind == MemoryKind::mapped ||
               kind == MemoryKind::imported;
    }
    bool holds(std::uintptr_t at, std::size_t length) const {
        return at >= address && length <= bytes - (at - address);
    }
};

class MemoryTable {
public:
    void add(const Allocation& allocation) { allocations[allocation.address] = allocation; }
    bool remove(std::uintptr_t address) { return allocations.erase(address) != 0; }

    const Allocation* starting_at(std::uintptr_t address) const {
        const auto found = allocations.find(address);
        return found == allocations.end() ? nullptr : &found->second;
    }

    // The allocation that contains the address; null if none does.
    const Allocation* around(std::uintptr_t address) const {
        auto after = allocations.upper_bound(address);
        if (after == allocations.begin()) return nullptr;
        const Allocation& candidate = std::prev(after)->second;
        return address - candidate.address < candidate.bytes ? &candidate : nullptr;
    }

    const Allocation* starting_at(const void* pointer) const {
        return starting_at(reinterpret_cast<std::uintptr_t>(pointer));
    }
    const Allocation* around(const void* pointer) const { return around(reinterpret_cast<std::uintptr_t>(pointer)); }

    // By cudaMalloc on this device.
    std::vector<Allocation> plain_on(int device) const {
        std::vector<Allocation> found;
        for (const auto& [address, each] : allocations)
            if (each.kind == MemoryKind::device && each.device == device) found.push_back(each);
        return found;
    }

private:
    std::map<std::uintptr_t, Allocation> allocations;
};

// Where the pages of managed memory are, as far as the runtime's calls show, and the advice given for them. Accesses by
// the host itself are not seen; simulation.h has a function to report them.
class Managed {
public:
    static constexpr int host = -1;
    static constexpr std::size_t block = std::size_t{64} << 10;  // moves as a whole

    explicit Managed(std::size_t bytes) : places((bytes + block - 1) / block, 0) {}

    struct Brought {
        std::size_t fresh = 0;               // bytes that had no location yet
        std::map<int, std::size_t> moved{};  // bytes that were elsewhere, by where

        std::size_t moved_in_all() const {
            std::size_t all = 0;
            for (const auto& [from, bytes] : moved) all += bytes;
            return all;
        }
    };
    // Moves the range to a device or the host. With read-mostly advice, copies elsewhere are kept.
    Brought bring(std::size_t offset, std::size_t bytes, int place) {
        Brought brought;
        if (bytes == 0) return brought;
        const std::size_t last = std::min(places.size() - 1, (offset + bytes - 1) / block);
        for (std::size_t i = offset / block; i <= last; ++i) {
            const bool here = (places[i] & bit(place)) != 0;
            const std::size_t begin = std::max(offset, i * block);
            const std::size_t size = std::min(offset + bytes, (i + 1) * block) - begin;
            if (places[i] == 0) brought.fresh += size;
            else if (!here) brought.moved[std::countr_zero(places[i]) - 1] += size;
            places[i] = (read_mostly ? places[i] : 0) | bit(place);
        }
        return brought;
    }
    bool lies_at(std::size_t offset, std::size_t bytes, int place) const {
        if (bytes == 0) return true;
        const std::size_t last = std::min(places.size() - 1, (offset + bytes - 1) / block);
        for (std::size_t i = offset / block; i <= last; ++i) {
            if ((places[i] & bit(place)) == 0) return false;
        }
        return true;
    }

    // Advice applies to the whole allocation.
    bool read_mostly = false;
    std::optional<int> preferred;
    std::set<int> accessed_by;
    std::optional<int> prefetched_to;

private:
    // One bit per location, the host's lowest.
    static std::uint32_t bit(int place) { return std::uint32_t{1} << static_cast<unsigned>(place + 1); }

    std::vector<std::uint32_t> places;  // locations of each block; 0: none yet
};

}  // namespace tocuda::simulator
