// tocuda, Apache-2.0.
// The driver's functions for virtual memory, which LibTorch's expandable segments use.
#include "runtime/driver_memory.hpp"

#include <fcntl.h>

#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

bool has_virtual_memory(const Call& call, int device) {
    return call.simulation.device(device).profile.virtual_memory == 1;
}

CUresult refuse(const char* what) { return static_cast<CUresult>(unsupported(what)); }

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
    return static_cast<CUresult>(write(bytes, AddressSpace::granule));
}

CUresult cuMemAddressReserve(CUdeviceptr* result, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
    return drive(__func__, [&](const Call& call) {
        if (!result || !whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
        if (!has_virtual_memory(call, call.thread.device)) return CUDA_ERROR_NOT_SUPPORTED;
        *result = call.simulation.virtual_addresses->take(bytes);
        return *result == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t) {
    return drive(__func__, [&](const Call& call) {
        call.simulation.virtual_addresses->give_back(address);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long) {
    return drive(__func__, [&](const Call& call) {
        if (!handle || !properties || !whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
        if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return refuse("cuMemCreate on the host");
        constexpr unsigned wishes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        if ((properties->requestedHandleTypes & ~wishes) != 0)
            return CUDA_ERROR_NOT_SUPPORTED;  // as on any GPU with no fabric
        const int device = properties->location.id;
        if (!call.simulation.has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        if (!has_virtual_memory(call, device)) return CUDA_ERROR_NOT_SUPPORTED;
        auto& of = call.simulation.device(device);
        call.simulation.use(of);
        const Physical* physical = VirtualMemory::here().create(of, *properties, bytes);
        if (!physical) return CUDA_ERROR_OUT_OF_MEMORY;
        call.simulation.new_memory = true;
        *handle = handle_of(*physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return drive(__func__, [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (!physical || physical->owners == 0) return CUDA_ERROR_INVALID_VALUE;
        VirtualMemory::here().release(call.simulation, *physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemExportToShareableHandle(void* result, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
    return drive(__func__, [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (!result || !physical || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        // LibTorch does without a multicast object that cannot be exported.
        if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || physical->team > 0) return CUDA_ERROR_NOT_SUPPORTED;
        if ((physical->properties.requestedHandleTypes & type) == 0) return CUDA_ERROR_INVALID_VALUE;
        if (!physical->file.valid()) {
            const Standstill nobody_writes(call);  // another thread may have released or exported it meanwhile
            physical = VirtualMemory::here().find(handle);
            if (!physical) return CUDA_ERROR_INVALID_VALUE;
            if (!physical->file.valid() && !VirtualMemory::here().move_to_file(call.simulation, *physical))
                return CUDA_ERROR_OUT_OF_MEMORY;
        }
        const int copy = ::fcntl(physical->file.file(), F_DUPFD_CLOEXEC, 0);
        if (copy < 0) return CUDA_ERROR_OPERATING_SYSTEM;
        *static_cast<int*>(result) = copy;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* result, void* shareable,
                                        CUmemAllocationHandleType type) {
    return drive(__func__, [&](const Call& call) {
        if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
        auto file = SharedFile::copy_of(static_cast<int>(reinterpret_cast<std::uintptr_t>(shareable)));
        const auto name = file.valid() ? file.name() : std::nullopt;
        if (!result || !name || name->gpu < 0) return CUDA_ERROR_INVALID_VALUE;
        *result = handle_of(VirtualMemory::here().import(owner_of(call, *name), std::move(file)));
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
    return drive(__func__, [&](const Call&) {
        Physical* physical = VirtualMemory::here().mapped_at(reinterpret_cast<std::uintptr_t>(address));
        if (!handle || !physical) return CUDA_ERROR_INVALID_VALUE;
        ++physical->owners;
        *handle = handle_of(*physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
    return drive(__func__, [&](const Call&) {
        const Physical* physical = VirtualMemory::here().find(handle);
        if (!properties || !physical) return CUDA_ERROR_INVALID_VALUE;
        *properties = physical->properties;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    return drive(__func__, [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (!physical || offset != 0 || bytes != physical->bytes) return CUDA_ERROR_INVALID_VALUE;
        if (!call.simulation.virtual_addresses->contains(address) || address % AddressSpace::granule != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (physical->mapped) return refuse("cuMemMap of the same memory twice");
        if (physical->added.size() < physical->team) return CUDA_ERROR_INVALID_VALUE;  // a GPU would wait
        return VirtualMemory::here().map(*physical, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* descriptions, size_t count) {
    return drive(__func__, [&](const Call& call) {
        if (!descriptions || count == 0) return CUDA_ERROR_INVALID_VALUE;
        return VirtualMemory::here().open(call.simulation, address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    return drive(__func__, [&](const Call& call) {
        call.wait_for_all_devices();
        return VirtualMemory::here().unmap(call.simulation, address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemGetAddressRange(CUdeviceptr* start, size_t* bytes, CUdeviceptr address) {
    return drive(__func__, [&](const Call& call) {
        const auto* found = call.simulation.memory.around(address);
        if (!found) return CUDA_ERROR_NOT_FOUND;
        if (start) *start = found->address;
        if (bytes) *bytes = found->bytes;
        return CUDA_SUCCESS;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator

// The driver's functions for multicast. Such an object is memory like any other here: the CPU's build of a kernel
// stores to what is bound to it instead.

namespace tocuda::simulator {
namespace {

bool has_multicast(const Simulation& simulation, int device) {
    const auto& attributes = simulation.device(device).profile.attributes;
    const auto found = attributes.find(CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED);
    return found != attributes.end() && found->second != 0;
}

Physical* multicast_of(CUmemGenericAllocationHandle handle) {
    Physical* const found = VirtualMemory::here().find(handle);
    return found && found->team > 0 ? found : nullptr;
}

}  // namespace

extern "C" {

CUresult cuMulticastGetGranularity(size_t* bytes, const CUmulticastObjectProp*, CUmulticastGranularity_flags) {
    return static_cast<CUresult>(write(bytes, AddressSpace::granule));
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle* handle, const CUmulticastObjectProp* properties) {
    return drive(__func__, [&](const Call& call) {
        if (!handle || !properties || !whole_granules(properties->size) || properties->numDevices == 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (!has_multicast(call.simulation, call.thread.device)) return CUDA_ERROR_NOT_SUPPORTED;
        *handle = handle_of(VirtualMemory::here().create_multicast(properties->numDevices, properties->size));
        return CUDA_SUCCESS;
    });
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device) {
    return drive(__func__, [&](const Call& call) {
        Physical* multicast = multicast_of(handle);
        if (!multicast || multicast->added.size() == multicast->team) return CUDA_ERROR_INVALID_VALUE;
        if (!call.simulation.has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        if (!has_multicast(call.simulation, device)) return CUDA_ERROR_NOT_SUPPORTED;
        return multicast->added.insert(device).second ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset, CUmemGenericAllocationHandle memory,
                            size_t memory_offset, size_t bytes, unsigned long long) {
    return drive(__func__, [&](const Call&) {
        Physical* multicast = multicast_of(handle);
        const Physical* part = VirtualMemory::here().find(memory);
        if (!multicast || !part || multicast->added.size() < multicast->team) return CUDA_ERROR_INVALID_VALUE;
        if (offset != 0 || memory_offset != 0)
            return static_cast<CUresult>(unsupported("cuMulticastBindMem of a part"));
        if (bytes != multicast->bytes || bytes > part->bytes || !multicast->added.contains(part->device))
            return CUDA_ERROR_INVALID_VALUE;
        return multicast->bound.emplace(part->device, part).second ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t, size_t) {
    return drive(__func__, [&](const Call&) {
        Physical* multicast = multicast_of(handle);
        return multicast && multicast->bound.erase(device) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
