// tocuda, Apache-2.0.
// All of it is called under the simulation's lock.
#include "runtime/virtual_memory.hpp"

namespace tocuda::simulator {
namespace {

CUmemGenericAllocationHandle handle_of(const Physical& physical) {
    return reinterpret_cast<CUmemGenericAllocationHandle>(&physical);
}

}  // namespace

VirtualMemory& VirtualMemory::here() {
    static VirtualMemory* const only = new VirtualMemory;
    return *only;
}

Physical* VirtualMemory::create(Device& device, const CUmemAllocationProp& properties, std::size_t bytes) {
    if (!device.charge(bytes)) return nullptr;
    auto physical = std::make_unique<Physical>();
    physical->device = device.legacy->kind.device;
    physical->bytes = bytes;
    physical->properties = properties;
    Physical* result = physical.get();
    physical_[handle_of(*result)] = std::move(physical);
    return result;
}

Physical* VirtualMemory::find(CUmemGenericAllocationHandle handle) {
    const auto found = physical_.find(handle);
    return found == physical_.end() ? nullptr : found->second.get();
}

Physical* VirtualMemory::mapped_at(std::uintptr_t address) {
    const auto after = mappings_.upper_bound(address);
    if (after == mappings_.begin()) return nullptr;
    const auto& [start, physical] = *std::prev(after);
    return address - start < physical->bytes ? physical : nullptr;
}

void VirtualMemory::release(Simulation& simulation, Physical& physical) {
    if (physical.owners > 0) --physical.owners;
    drop_if_unused(simulation, physical);
}

void VirtualMemory::drop_if_unused(Simulation& simulation, Physical& physical) {
    if (physical.owners > 0 || physical.mapped) return;
    simulation.devices[static_cast<std::size_t>(physical.device)]->release(physical.bytes);
    physical_.erase(handle_of(physical));
}

bool VirtualMemory::map(Physical& physical, std::uintptr_t address) {
    if (mapped_at(address) != nullptr) return false;
    mappings_[address] = &physical;
    physical.mapped = true;
    return true;
}

bool VirtualMemory::open(Simulation& simulation, std::uintptr_t address, std::size_t bytes) {
    std::uintptr_t at = address;
    while (at < address + bytes) {
        const auto found = mappings_.find(at);
        if (found == mappings_.end()) return false;
        const Physical& physical = *found->second;
        AddressSpace* space = simulation.virtual_addresses.get();
        if (!space->open(at, physical.bytes)) return false;
        simulation.memory.add({.address = at,
                               .bytes = physical.bytes,
                               .kind = MemoryKind::mapped,
                               .device = physical.device,
                               .space = space});
        at += physical.bytes;
    }
    return true;
}

bool VirtualMemory::unmap(Simulation& simulation, std::uintptr_t address, std::size_t bytes) {
    std::uintptr_t at = address;
    while (at < address + bytes) {
        const auto found = mappings_.find(at);
        if (found == mappings_.end()) return false;
        Physical& physical = *found->second;
        const std::size_t size = physical.bytes;
        simulation.virtual_addresses->close(at, size);
        simulation.memory.remove(at);
        mappings_.erase(found);
        physical.mapped = false;
        drop_if_unused(simulation, physical);
        at += size;
    }
    return true;
}

}  // namespace tocuda::simulator
