// tocuda, Apache-2.0.
// The driver's functions for virtual memory, which LibTorch's expandable segments use.
#include "runtime/unsupported.hpp"
#include "runtime/virtual_memory.hpp"

using tocuda::simulator::AddressSpace;
using tocuda::simulator::Call;
using tocuda::simulator::Physical;
using tocuda::simulator::VirtualMemory;

namespace {

// The driver's codes equal the runtime's, but its errors do not become the thread's last error.
template <typename Body>
CUresult drive(const char* function, Body&& body) {
    tocuda::simulator::Thread& thread = tocuda::simulator::Thread::mine();
    const cudaError_t before = thread.last_error;
    const cudaError_t result =
        tocuda::simulator::answer(function, [&](const Call& call) { return static_cast<cudaError_t>(body(call)); });
    thread.last_error = before;
    return static_cast<CUresult>(result);
}

bool whole_granules(std::size_t bytes) { return bytes != 0 && bytes % AddressSpace::granule == 0; }

CUresult refuse(const char* what) { return static_cast<CUresult>(tocuda::simulator::unsupported(what)); }

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = AddressSpace::granule;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* result, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
    return drive("cuMemAddressReserve", [&](const Call& call) {
        if (result == nullptr || !whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
        *result = call.simulation.virtual_addresses->take(bytes);
        return *result == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t) {
    return drive("cuMemAddressFree", [&](const Call& call) {
        call.simulation.virtual_addresses->give_back(address);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long) {
    return drive("cuMemCreate", [&](const Call& call) {
        if (handle == nullptr || properties == nullptr || !whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
        if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return refuse("cuMemCreate on the host");
        // Asking for an exportable handle is allowed; exporting one is refused.
        constexpr unsigned wishes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        if ((properties->requestedHandleTypes & ~wishes) != 0)
            return CUDA_ERROR_NOT_SUPPORTED;  // as on any GPU with no fabric
        const int device = properties->location.id;
        if (device < 0 || device >= static_cast<int>(call.simulation.devices.size())) return CUDA_ERROR_INVALID_DEVICE;
        auto& of = *call.simulation.devices[static_cast<std::size_t>(device)];
        of.make_context();
        const Physical* physical = VirtualMemory::here().create(of, *properties, bytes);
        if (physical == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
        *handle = reinterpret_cast<CUmemGenericAllocationHandle>(physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return drive("cuMemRelease", [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (physical == nullptr || physical->owners == 0) return CUDA_ERROR_INVALID_VALUE;
        VirtualMemory::here().release(call.simulation, *physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
    return drive("cuMemRetainAllocationHandle", [&](const Call&) {
        Physical* physical = VirtualMemory::here().mapped_at(reinterpret_cast<std::uintptr_t>(address));
        if (handle == nullptr || physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
        ++physical->owners;
        *handle = reinterpret_cast<CUmemGenericAllocationHandle>(physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
    return drive("cuMemGetAllocationPropertiesFromHandle", [&](const Call&) {
        const Physical* physical = VirtualMemory::here().find(handle);
        if (properties == nullptr || physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *properties = physical->properties;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    return drive("cuMemMap", [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (physical == nullptr || offset != 0 || bytes != physical->bytes) return CUDA_ERROR_INVALID_VALUE;
        if (!call.simulation.virtual_addresses->contains(address) || address % AddressSpace::granule != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (physical->mapped) return refuse("cuMemMap of the same memory twice");
        return VirtualMemory::here().map(*physical, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* descriptions, size_t count) {
    return drive("cuMemSetAccess", [&](const Call& call) {
        if (descriptions == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
        return VirtualMemory::here().open(call.simulation, address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    return drive("cuMemUnmap", [&](const Call& call) {
        for (const auto& device : call.simulation.devices) {
            call.simulation.wait_for_device(call.lock, device->legacy->kind.device);
        }
        return VirtualMemory::here().unmap(call.simulation, address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemGetAddressRange(CUdeviceptr* start, size_t* bytes, CUdeviceptr address) {
    return drive("cuMemGetAddressRange", [&](const Call& call) {
        const auto* found = call.simulation.memory.around(reinterpret_cast<const void*>(address));
        if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
        if (start != nullptr) *start = found->address;
        if (bytes != nullptr) *bytes = found->bytes;
        return CUDA_SUCCESS;
    });
}

}  // extern "C"
