// tocuda, Apache-2.0.
// The runtime's functions for device memory: allocation, release, free memory, attributes of pointers.
#include "runtime/allocation.hpp"
#include "runtime/capture.hpp"

namespace tocuda::simulator {
namespace {

constexpr std::size_t pitch_alignment = 512;

cudaMemoryType type_of(const Allocation& allocation) {
    if (allocation.on_device()) return cudaMemoryTypeDevice;
    return allocation.kind == MemoryKind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
}

cudaPointerAttributes attributes_of(const Allocation* allocation, const void* pointer) {
    auto* address = const_cast<void*>(pointer);
    cudaPointerAttributes attributes{};
    attributes.type = allocation ? type_of(*allocation) : cudaMemoryTypeUnregistered;
    attributes.device = allocation ? allocation->device : -2;
    if (allocation) attributes.devicePointer = address;
    if (!allocation || !allocation->on_device()) attributes.hostPointer = address;
    return attributes;
}

cudaError_t take(const Call& call, std::size_t bytes, void** result) {
    if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
    Device& device = call.device();
    call.simulation.spend(device, device.profile.malloc_ns);
    const cudaError_t taken = take_device_memory(call.simulation, device, bytes, result);
    const auto granules = static_cast<std::int64_t>(AddressSpace::rounded(bytes) / AddressSpace::granule);
    if (taken == cudaSuccess) call.simulation.spend(device, granules * device.profile.malloc_ns_per_granule);
    return taken;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** result, size_t bytes) {
    return answer(__func__, [&](const Call& call) {
        if (!result) return cudaErrorInvalidValue;
        call.simulation.new_memory = true;  // LibTorch's allocator is there by now
        return take(call, bytes, result);
    });
}

cudaError_t cudaMallocPitch(void** result, size_t* pitch, size_t width, size_t height) {
    return answer(__func__, [&](const Call& call) {
        if (!result || !pitch) return cudaErrorInvalidValue;
        *pitch = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
        return take(call, *pitch * height, result);
    });
}

// Waits for the device, as the real one does: freeing memory that a blocked stream uses hangs here too.
cudaError_t cudaFree(void* pointer) {
    return answer(__func__, [&](const Call& call) {
        call.device();
        if (!pointer) return cudaSuccess;
        if (const cudaError_t refused = refuses_unsafe(call); refused != cudaSuccess) return refused;
        const Allocation* found = call.simulation.memory.starting_at(pointer);
        if (!found) return cudaErrorInvalidValue;
        const Allocation allocation = *found;
        call.wait_for_device(allocation.device);
        Device& device = call.simulation.device(allocation.device);
        call.simulation.spend(device, device.profile.free_ns);
        if (allocation.kind == MemoryKind::managed) return release_host_memory(call.simulation, allocation);
        return give_back_device_memory(call.simulation, allocation);
    });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return answer(__func__, [&](const Call& call) {
        if (!free || !total) return cudaErrorInvalidValue;
        ++counts().memory_questions;
        *free = call.device().free_bytes();
        *total = call.device().total_bytes();
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return answer(__func__, [&](const Call& call) {
        return write(attributes, attributes_of(call.simulation.memory.around(pointer), pointer));
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
