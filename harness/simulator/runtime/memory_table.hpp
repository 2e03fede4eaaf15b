// tocuda, Apache-2.0.
// Which allocation an address belongs to: device memory, pinned, registered or managed host memory, or none of the
// runtime's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tocuda::simulator {

class AddressSpace;
class Pool;

enum class MemoryKind { device, pooled, mapped, pinned, registered, managed };

struct Allocation {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    int device = 0;
    unsigned flags = 0;
    Pool* pool = nullptr;
    AddressSpace* space = nullptr;  // that contains the address; null on the host

    bool on_device() const {
        return kind == MemoryKind::device || kind == MemoryKind::pooled || kind == MemoryKind::mapped;
    }
    bool holds(std::uintptr_t at, std::size_t length) const {
        return at >= address && length <= bytes - (at - address);
    }
};

class MemoryTable {
public:
    void add(const Allocation& allocation) { allocations_[allocation.address] = allocation; }
    bool remove(std::uintptr_t address) { return allocations_.erase(address) != 0; }

    const Allocation* starting_at(std::uintptr_t address) const {
        const auto found = allocations_.find(address);
        return found == allocations_.end() ? nullptr : &found->second;
    }

    // The allocation that contains the address; null if none does.
    const Allocation* around(std::uintptr_t address) const {
        auto after = allocations_.upper_bound(address);
        if (after == allocations_.begin()) return nullptr;
        const Allocation& candidate = std::prev(after)->second;
        return address - candidate.address < candidate.bytes ? &candidate : nullptr;
    }

    const Allocation* starting_at(const void* pointer) const {
        return starting_at(reinterpret_cast<std::uintptr_t>(pointer));
    }
    const Allocation* around(const void* pointer) const { return around(reinterpret_cast<std::uintptr_t>(pointer)); }

private:
    std::map<std::uintptr_t, Allocation> allocations_;
};

}  // namespace tocuda::simulator
