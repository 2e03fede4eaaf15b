// tocuda, Apache-2.0.
// The driver's virtual memory: what cuMemCreate and cuMulticastCreate make, and where it is mapped.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "runtime/call_frame.hpp"

namespace tocuda::simulator {

struct Physical {
    int device = 0;
    std::size_t bytes = 0;
    CUmemAllocationProp properties{};
    int owners = 1;  // handles not yet released
    bool mapped = false;
    SharedFile file{};      // that keeps it, if other processes can have it
    bool imported = false;  // from another process, or a second handle in this one
    // Of a multicast object: the GPUs that it is for and those that were added, and the memory bound to it by GPU.
    unsigned team = 0;
    std::set<int> added{};
    std::map<int, const Physical*> bound{};
};

inline CUmemGenericAllocationHandle handle_of(const Physical& physical) {
    return reinterpret_cast<CUmemGenericAllocationHandle>(&physical);
}

// The driver's virtual memory: physical memory charged to a device's budget and mapped at reserved addresses. All of it
// is called under the simulation's lock.
class VirtualMemory {
public:
    static VirtualMemory& here() {
        static VirtualMemory* const only = new VirtualMemory;
        return *only;
    }

    // Null: out of memory.
    Physical* create(Device& device, const CUmemAllocationProp& properties, std::size_t bytes) {
        if (!device.charge(bytes)) return nullptr;
        Physical& made = add(device.number, bytes);
        made.properties = properties;
        return &made;
    }
    // Does not count for the GPU: it does where it was created.
    Physical& import(Device& device, SharedFile file) {
        Physical& made = add(device.number, file.bytes());
        made.properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        made.properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        made.properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device.number};
        made.file = std::move(file);
        made.imported = true;
        return made;
    }
    Physical& create_multicast(unsigned team, std::size_t bytes) {
        Physical& made = add(0, bytes);
        made.team = team;
        return made;
    }

    Physical* find(CUmemGenericAllocationHandle handle) {
        const auto found = by_handle.find(handle);
        return found == by_handle.end() ? nullptr : found->second.get();
    }

    Physical* mapped_at(std::uintptr_t address) {
        const auto after = mappings.upper_bound(address);
        if (after == mappings.begin()) return nullptr;
        const auto& [start, physical] = *std::prev(after);
        return address - start < physical->bytes ? physical : nullptr;
    }

    void release(Simulation& simulation, Physical& physical) {
        if (physical.owners > 0) --physical.owners;
        drop_if_unused(simulation, physical);
    }

    bool map(Physical& physical, std::uintptr_t address) {
        if (mapped_at(address)) return false;
        mappings[address] = &physical;
        physical.mapped = true;
        return true;
    }

    // All mappings in the range: false if it has a hole.
    bool open(Simulation& simulation, std::uintptr_t address, std::size_t bytes) {
        std::uintptr_t at = address;
        while (at < address + bytes) {
            const auto found = mappings.find(at);
            if (found == mappings.end()) return false;
            const Physical& physical = *found->second;
            AddressSpace* space = simulation.virtual_addresses.get();
            const bool is_open = physical.file.valid() ? space->open_file(at, physical.bytes, physical.file.file())
                                                       : space->open(at, physical.bytes);
            if (!is_open) return false;
            simulation.memory.add({.address = at,
                                   .bytes = physical.bytes,
                                   .kind = MemoryKind::mapped,
                                   .device = physical.device,
                                   .space = space});
            at += physical.bytes;
        }
        return true;
    }

    // Gives it a file with what it holds. Nobody may write meanwhile.
    bool move_to_file(Simulation& simulation, Physical& physical) {
        auto file = SharedFile::make(simulation.device(physical.device).index_in_file, physical.bytes);
        if (!file.valid()) return false;
        for (const auto& [address, mapped] : mappings) {
            const bool is_open = mapped == &physical && simulation.memory.starting_at(address);
            if (is_open && !simulation.virtual_addresses->move_to_file(address, physical.bytes, file.file()))
                return false;
        }
        physical.file = std::move(file);
        return true;
    }

    bool unmap(Simulation& simulation, std::uintptr_t address, std::size_t bytes) {
        std::uintptr_t at = address;
        while (at < address + bytes) {
            const auto found = mappings.find(at);
            if (found == mappings.end()) return false;
            Physical& physical = *found->second;
            const std::size_t size = physical.bytes;
            simulation.virtual_addresses->close(at, size);
            simulation.memory.remove(at);
            mappings.erase(found);
            physical.mapped = false;
            drop_if_unused(simulation, physical);
            at += size;
        }
        return true;
    }

private:
    Physical& add(int device, std::size_t bytes) {
        auto physical = std::make_unique<Physical>();
        physical->device = device;
        physical->bytes = bytes;
        return *(by_handle[handle_of(*physical)] = std::move(physical));
    }
    void drop_if_unused(Simulation& simulation, Physical& physical) {
        if (physical.owners > 0 || physical.mapped) return;
        if (physical.team == 0 && !physical.imported) simulation.device(physical.device).release(physical.bytes);
        by_handle.erase(handle_of(physical));
    }

    std::unordered_map<CUmemGenericAllocationHandle, std::unique_ptr<Physical>> by_handle;
    std::map<std::uintptr_t, Physical*> mappings;
};

// The driver's codes equal the runtime's, but its errors do not become the thread's last error.
template <typename Body>
CUresult drive(const char* function, Body&& body) {
    const cudaError_t before = Thread::mine().last_error;
    const cudaError_t result = answer(function, [&](const Call& call) { return static_cast<cudaError_t>(body(call)); });
    Thread::mine().last_error = before;
    return static_cast<CUresult>(result);
}

inline bool whole_granules(std::size_t bytes) { return bytes != 0 && bytes % AddressSpace::granule == 0; }

}  // namespace tocuda::simulator
