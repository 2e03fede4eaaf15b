// tocuda, Apache-2.0.
// The runtime's pinned, registered and managed host memory.
#include "runtime/host_allocation.hpp"

using tocuda::stand_in::Allocation;
using tocuda::stand_in::answer;
using tocuda::stand_in::Call;
using tocuda::stand_in::MemoryKind;

extern "C" {

cudaError_t cudaHostAlloc(void** result, size_t bytes, unsigned flags) {
    return answer("cudaHostAlloc", [&](const Call& call) {
        if (result == nullptr || flags > 7) return cudaErrorInvalidValue;
        return take_host_memory(call, bytes, MemoryKind::pinned, flags, result);
    });
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
    return answer("cudaMallocHost", [&](const Call& call) {
        if (result == nullptr) return cudaErrorInvalidValue;
        return take_host_memory(call, bytes, MemoryKind::pinned, cudaHostAllocDefault, result);
    });
}

cudaError_t cudaMallocManaged(void** result, size_t bytes, unsigned flags) {
    return answer("cudaMallocManaged", [&](const Call& call) {
        if (result == nullptr || bytes == 0) return cudaErrorInvalidValue;
        if (call.device().profile.managed_memory == 0) return cudaErrorNotSupported;
        return take_host_memory(call, bytes, MemoryKind::managed, flags, result);
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return answer("cudaFreeHost", [&](const Call& call) {
        if (pointer == nullptr) return cudaSuccess;
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (found == nullptr || found->kind != MemoryKind::pinned) return cudaErrorInvalidValue;
        const Allocation allocation = *found;
        for (const auto& device : call.simulation.devices) {
            call.simulation.wait_for_device(call.lock, device->legacy->kind.device);
        }
        return release_host_memory(call.simulation, allocation);
    });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return answer("cudaHostRegister", [&](const Call& call) {
        call.device();
        if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        const auto* last = static_cast<const char*>(pointer) + bytes - 1;
        const bool known = call.simulation.memory.around(pointer) != nullptr || call.simulation.memory.around(last) != nullptr;
        if (known) return cudaErrorHostMemoryAlreadyRegistered;
        call.simulation.memory.add({address, bytes, MemoryKind::registered, call.thread.device, flags});
        return cudaSuccess;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return answer("cudaHostUnregister", [&](const Call& call) {
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (found == nullptr || found->kind != MemoryKind::registered) return cudaErrorHostMemoryNotRegistered;
        for (const auto& device : call.simulation.devices) {
            call.simulation.wait_for_device(call.lock, device->legacy->kind.device);
        }
        call.simulation.memory.remove(reinterpret_cast<std::uintptr_t>(pointer));
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetDevicePointer(void** result, void* pointer, unsigned) {
    return answer("cudaHostGetDevicePointer", [&](const Call& call) {
        const Allocation* found = call.simulation.memory.around(pointer);
        if (result == nullptr || found == nullptr || found->on_device()) return cudaErrorInvalidValue;
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
