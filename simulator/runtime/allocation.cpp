// tocuda, Apache-2.0.
#include "runtime/allocation.hpp"

#include <sys/mman.h>

#include "runtime/graph.hpp"
#include "runtime/pool.hpp"
#include "runtime/sharing.hpp"

namespace tocuda::simulator {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

cudaError_t take_device_memory(Simulation& simulation, Device& device, std::size_t bytes, void** result) {
    *result = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (!device.has_room_for(bytes)) return cudaErrorMemoryAllocation;
    const std::uintptr_t address = device.take(AddressSpace::rounded(bytes));
    if (address == 0) return cudaErrorMemoryAllocation;
    simulation.memory.add({.address = address, .bytes = bytes, .device = device.number, .space = &device.addresses});
    *result = reinterpret_cast<void*>(address);
    return cudaSuccess;
}

cudaError_t give_back_device_memory(Simulation& simulation, const Allocation& allocation) {
    const std::uintptr_t address = allocation.address;
    if (Graphs::here().memory.contains(address)) return cudaSuccess;  // it is there as long as its graph
    if (allocation.kind == MemoryKind::pooled) allocation.pool->give_back(address);
    else if (allocation.kind != MemoryKind::device) return cudaErrorInvalidValue;
    else simulation.device(allocation.device).give_back(address, AddressSpace::rounded(allocation.bytes));
    SharedMemory::here().exported.erase(address);
    simulation.memory.remove(address);
    return cudaSuccess;
}

cudaError_t take_host_memory(const Call& call, std::size_t bytes, MemoryKind kind, unsigned flags, void** result) {
    *result = nullptr;
    call.device();
    if (bytes == 0) return cudaSuccess;
    if (!call.simulation.host_memory.charge(static_cast<std::int64_t>(bytes))) return cudaErrorMemoryAllocation;
    void* got = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
        call.simulation.host_memory.release(static_cast<std::int64_t>(bytes));
        return cudaErrorMemoryAllocation;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(got);
    if (bytes >= huge_page) ::madvise(got, bytes, MADV_HUGEPAGE);  // faster to touch
    call.simulation.memory.add({address, bytes, kind, call.thread.device, flags});
    if (kind == MemoryKind::managed) call.simulation.managed.emplace(address, Managed(bytes));
    *result = got;
    return cudaSuccess;
}

cudaError_t release_host_memory(Simulation& simulation, Allocation allocation) {
    ::munmap(reinterpret_cast<void*>(allocation.address), allocation.bytes);
    simulation.host_memory.release(static_cast<std::int64_t>(allocation.bytes));
    simulation.managed.erase(allocation.address);
    simulation.memory.remove(allocation.address);
    return cudaSuccess;
}

}  // namespace tocuda::simulator
