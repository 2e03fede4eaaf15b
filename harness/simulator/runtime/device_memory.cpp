// tocuda, Apache-2.0.
#include "runtime/device_memory.hpp"

#include "runtime/pool.hpp"

namespace tocuda::simulator {
namespace {

int position_of(const Device& device) { return device.legacy->kind.device; }

}  // namespace

cudaError_t take_device_memory(Simulation& simulation, Device& device, std::size_t bytes, void** result) {
    *result = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > device.free_bytes()) return cudaErrorMemoryAllocation;
    const std::size_t size = AddressSpace::rounded(bytes);
    if (!device.charge(size)) return cudaErrorMemoryAllocation;
    const std::uintptr_t address = device.addresses.take(size);
    if (address == 0 || !device.addresses.open(address, size)) {
        if (address != 0) device.addresses.give_back(address);
        device.release(size);
        return cudaErrorMemoryAllocation;
    }
    simulation.memory.add(
        {.address = address, .bytes = bytes, .device = position_of(device), .space = &device.addresses});
    *result = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

cudaError_t give_back_device_memory(Simulation& simulation, const Allocation& allocation) {
    Device& device = *simulation.devices[static_cast<std::size_t>(allocation.device)];
    const std::uintptr_t address = allocation.address;
    if (allocation.kind == MemoryKind::pooled) {
        Pool* pool = allocation.pool;
        simulation.memory.remove(address);
        pool->give_back(address);
        return cudaSuccess;
    }
    if (allocation.kind != MemoryKind::device) return cudaErrorInvalidValue;
    const std::size_t size = AddressSpace::rounded(allocation.bytes);
    device.addresses.close(address, size);
    device.addresses.give_back(address);
    device.release(size);
    simulation.memory.remove(address);
    return cudaSuccess;
}

}  // namespace tocuda::simulator
