// tocuda, Apache-2.0.
#include "runtime/host_allocation.hpp"

#include <sys/mman.h>

namespace tocuda::simulator {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = 4096;

}  // namespace

void spend_on_pages(Simulation& simulation, Device& device, std::size_t bytes, std::int64_t nanoseconds_each) {
    simulation.spend(device, static_cast<std::int64_t>((bytes + page - 1) / page) * nanoseconds_each);
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
