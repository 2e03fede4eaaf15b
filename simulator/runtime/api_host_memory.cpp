// tocuda, Apache-2.0.
// The runtime's functions for pinned and registered host memory.
#include "runtime/allocation.hpp"
#include "runtime/capture.hpp"
#include "runtime/process_counts.hpp"

namespace tocuda::simulator {
namespace {

constexpr unsigned every_register_flag =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

// Charges the host's time for each page.
void spend_on_pages(Simulation& simulation, Device& device, std::size_t bytes, std::int64_t nanoseconds_each) {
    simulation.spend(device, static_cast<std::int64_t>((bytes + page - 1) / page) * nanoseconds_each);
}

cudaError_t take_pinned(const Call& call, std::size_t bytes, unsigned flags, void** result) {
    if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
    const cudaError_t taken = take_host_memory(call, bytes, MemoryKind::pinned, flags, result);
    const auto& gpu = call.device().profile;
    if (taken == cudaErrorMemoryAllocation) return static_cast<cudaError_t>(gpu.host_alloc_error);
    spend_on_pages(call.simulation, call.device(), bytes, gpu.page_touch_ns_per_page + gpu.page_lock_ns_per_page);
    if (taken == cudaSuccess) raise_to(counts().peak_pinned_bytes, counts().pinned_bytes.fetch_add(bytes) + bytes);
    return cudaSuccess;
}

void wait_and_unlock(const Call& call, const Allocation& allocation) {
    call.wait_for_all_devices();
    Device& device = call.simulation.device(allocation.device);
    spend_on_pages(call.simulation, device, allocation.bytes, device.profile.page_unlock_ns_per_page);
}

}  // namespace

extern "C" {

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        if (!result || flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
            return cudaErrorInvalidValue;
        return take_pinned(call, bytes, flags, result);
    });
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
    return answer(__func__, [&](const Call& call) {
        if (!result) return cudaErrorInvalidValue;
        return take_pinned(call, bytes, cudaHostAllocDefault, result);
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return answer(__func__, [&](const Call& call) {
        if (!pointer) return cudaSuccess;
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (!found || found->kind != MemoryKind::pinned) return cudaErrorInvalidValue;
        if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
        const Allocation allocation = *found;
        wait_and_unlock(call, allocation);
        counts().pinned_bytes.fetch_sub(allocation.bytes);
        return release_host_memory(call.simulation, allocation);
    });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        call.device();
        if (!pointer || bytes == 0 || flags > every_register_flag) return cudaErrorInvalidValue;
        if ((flags & (cudaHostRegisterIoMemory | cudaHostRegisterReadOnly)) != 0) return cudaErrorNotSupported;
        if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const auto* last = static_cast<const char*>(pointer) + bytes - 1;
        const bool known = call.simulation.memory.around(pointer) || call.simulation.memory.around(last);
        if (known) return cudaErrorHostMemoryAlreadyRegistered;
        call.simulation.memory.add({address, bytes, MemoryKind::registered, call.thread.device, flags});
        spend_on_pages(call.simulation, call.device(), bytes, call.device().profile.page_lock_ns_per_page);
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return answer(__func__, [&](const Call& call) {
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (!found || found->kind != MemoryKind::registered) return cudaErrorHostMemoryNotRegistered;
        if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
        const Allocation allocation = *found;
        wait_and_unlock(call, allocation);
        call.simulation.memory.remove(reinterpret_cast<std::uintptr_t>(pointer));
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetDevicePointer(void** result, void* pointer, unsigned flags) {
    return answer(__func__, [&](const Call& call) {
        const Allocation* found = call.simulation.memory.around(pointer);
        if (!found || found->on_device() || flags != 0) return cudaErrorInvalidValue;
        return write(result, pointer);
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return answer(__func__, [&](const Call& call) {
        const Allocation* found = call.simulation.memory.around(pointer);
        if (!found || found->kind != MemoryKind::pinned) return cudaErrorInvalidValue;
        return write(flags, found->flags);
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
