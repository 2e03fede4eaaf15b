// tocuda, Apache-2.0.
// The driver's functions for multicast. Such an object is memory like any other here: the CPU's build of a kernel
// stores to what is bound to it instead.
#include "runtime/driver_memory.hpp"
#include "runtime/unsupported.hpp"

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
