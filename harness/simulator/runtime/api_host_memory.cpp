// tocuda, Apache-2.0.
// The runtime's functions for pinned and registered host memory.
#include "runtime/host_allocation.hpp"

using tocuda::simulator::Allocation;
using tocuda::simulator::answer;
using tocuda::simulator::Call;
using tocuda::simulator::Device;
using tocuda::simulator::MemoryKind;

namespace {

constexpr unsigned every_register_flag =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

cudaError_t take_pinned(const Call& call, std::size_t bytes, unsigned flags, void** result) {
    const cudaError_t taken = take_host_memory(call, bytes, MemoryKind::pinned, flags, result);
    if (taken != cudaSuccess) return taken;
    const auto& gpu = call.device().profile;
    spend_on_pages(call.simulation, call.device(), bytes, gpu.page_touch_ns_per_page + gpu.page_lock_ns_per_page);
    return cudaSuccess;
}

void wait_for_all(const Call& call) {
    for (const auto& device : call.simulation.devices)
        call.simulation.wait_for_device(call.lock, device->legacy->kind.device);
}

void spend_on_unlocking(const Call& call, const Allocation& allocation) {
    Device& device = *call.simulation.devices[static_cast<std::size_t>(allocation.device)];
    spend_on_pages(call.simulation, device, allocation.bytes, device.profile.page_unlock_ns_per_page);
}

}  // namespace

extern "C" {

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
    return answer("cudaHostAlloc", [&](const Call& call) {
        if (result == nullptr || flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
            return cudaErrorInvalidValue;
        return take_pinned(call, bytes, flags, result);
    });
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
    return answer("cudaMallocHost", [&](const Call& call) {
        if (result == nullptr) return cudaErrorInvalidValue;
        return take_pinned(call, bytes, cudaHostAllocDefault, result);
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return answer("cudaFreeHost", [&](const Call& call) {
        if (pointer == nullptr) return cudaSuccess;
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (found == nullptr || found->kind != MemoryKind::pinned) return cudaErrorInvalidValue;
        const Allocation allocation = *found;
        wait_for_all(call);
        spend_on_unlocking(call, allocation);
        return release_host_memory(call.simulation, allocation);
    });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return answer("cudaHostRegister", [&](const Call& call) {
        call.device();
        if (pointer == nullptr || bytes == 0 || flags > every_register_flag) return cudaErrorInvalidValue;
        if ((flags & (cudaHostRegisterIoMemory | cudaHostRegisterReadOnly)) != 0) return cudaErrorNotSupported;
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const auto* last = static_cast<const char*>(pointer) + bytes - 1;
        const bool known =
            call.simulation.memory.around(pointer) != nullptr || call.simulation.memory.around(last) != nullptr;
        if (known) return cudaErrorHostMemoryAlreadyRegistered;
        call.simulation.memory.add({address, bytes, MemoryKind::registered, call.thread.device, flags});
        spend_on_pages(call.simulation, call.device(), bytes, call.device().profile.page_lock_ns_per_page);
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return answer("cudaHostUnregister", [&](const Call& call) {
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (found == nullptr || found->kind != MemoryKind::registered) return cudaErrorHostMemoryNotRegistered;
        const Allocation allocation = *found;
        wait_for_all(call);
        spend_on_unlocking(call, allocation);
        call.simulation.memory.remove(reinterpret_cast<std::uintptr_t>(pointer));
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetDevicePointer(void** result, void* pointer, unsigned flags) {
    return answer("cudaHostGetDevicePointer", [&](const Call& call) {
        const Allocation* found = call.simulation.memory.around(pointer);
        if (result == nullptr || found == nullptr || found->on_device() || flags != 0) return cudaErrorInvalidValue;
        *result = pointer;
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return answer("cudaHostGetFlags", [&](const Call& call) {
        const Allocation* found = call.simulation.memory.around(pointer);
        if (flags == nullptr || found == nullptr || found->kind != MemoryKind::pinned) return cudaErrorInvalidValue;
        *flags = found->flags;
        return cudaSuccess;
    });
}

}  // extern "C"
