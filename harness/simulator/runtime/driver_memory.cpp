// tocuda, Apache-2.0.
// The driver's functions for virtual memory, which LibTorch's expandable segments use.
#include <cuda.h>

#include <map>
#include <memory>
#include <unordered_map>

#include "runtime/answer.hpp"
#include "runtime/unsupported.hpp"

namespace tocuda::simulator {
namespace {

struct Physical {
    int device = 0;
    std::size_t bytes = 0;
    CUmemAllocationProp properties{};
    int owners = 1;  // handles not yet released
    bool mapped = false;
};

CUmemGenericAllocationHandle handle_of(const Physical& physical) {
    return reinterpret_cast<CUmemGenericAllocationHandle>(&physical);
}

// The driver's virtual memory: physical memory charged to a device's budget and mapped at reserved addresses. All of it
// is called under the simulation's lock.
class VirtualMemory {
public:
    static VirtualMemory& here() {
        static VirtualMemory* const only = new VirtualMemory;
        return *only;
    }

    // Null: out of memory.
    Physical* create(Device& device, const CUmemAllocationProp& properties, std::size_t bytes) {
        if (!device.charge(bytes)) return nullptr;
        auto physical = std::make_unique<Physical>();
        physical->device = device.number;
        physical->bytes = bytes;
        physical->properties = properties;
        Physical* result = physical.get();
        physical_[handle_of(*result)] = std::move(physical);
        return result;
    }

    Physical* find(CUmemGenericAllocationHandle handle) {
        const auto found = physical_.find(handle);
        return found == physical_.end() ? nullptr : found->second.get();
    }

    Physical* mapped_at(std::uintptr_t address) {
        const auto after = mappings_.upper_bound(address);
        if (after == mappings_.begin()) return nullptr;
        const auto& [start, physical] = *std::prev(after);
        return address - start < physical->bytes ? physical : nullptr;
    }

    void release(Simulation& simulation, Physical& physical) {
        if (physical.owners > 0) --physical.owners;
        drop_if_unused(simulation, physical);
    }

    bool map(Physical& physical, std::uintptr_t address) {
        if (mapped_at(address) != nullptr) return false;
        mappings_[address] = &physical;
        physical.mapped = true;
        return true;
    }

    // All mappings in the range: false if it has a hole.
    bool open(Simulation& simulation, std::uintptr_t address, std::size_t bytes) {
        std::uintptr_t at = address;
        while (at < address + bytes) {
            const auto found = mappings_.find(at);
            if (found == mappings_.end()) return false;
            const Physical& physical = *found->second;
            AddressSpace* space = simulation.virtual_addresses.get();
            if (!space->open(at, physical.bytes)) return false;
            simulation.memory.add({.address = at,
                                   .bytes = physical.bytes,
                                   .kind = MemoryKind::mapped,
                                   .device = physical.device,
                                   .space = space});
            at += physical.bytes;
        }
        return true;
    }

    bool unmap(Simulation& simulation, std::uintptr_t address, std::size_t bytes) {
        std::uintptr_t at = address;
        while (at < address + bytes) {
            const auto found = mappings_.find(at);
            if (found == mappings_.end()) return false;
            Physical& physical = *found->second;
            const std::size_t size = physical.bytes;
            simulation.virtual_addresses->close(at, size);
            simulation.memory.remove(at);
            mappings_.erase(found);
            physical.mapped = false;
            drop_if_unused(simulation, physical);
            at += size;
        }
        return true;
    }

private:
    void drop_if_unused(Simulation& simulation, Physical& physical) {
        if (physical.owners > 0 || physical.mapped) return;
        simulation.device(physical.device).release(physical.bytes);
        physical_.erase(handle_of(physical));
    }

    std::unordered_map<CUmemGenericAllocationHandle, std::unique_ptr<Physical>> physical_;
    std::map<std::uintptr_t, Physical*> mappings_;
};

// The driver's codes equal the runtime's, but its errors do not become the thread's last error.
template <typename Body>
CUresult drive(const char* function, Body&& body) {
    const cudaError_t before = Thread::mine().last_error;
    const cudaError_t result = answer(function, [&](const Call& call) { return static_cast<cudaError_t>(body(call)); });
    Thread::mine().last_error = before;
    return static_cast<CUresult>(result);
}

bool whole_granules(std::size_t bytes) { return bytes != 0 && bytes % AddressSpace::granule == 0; }

CUresult refuse(const char* what) { return static_cast<CUresult>(unsupported(what)); }

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
    return static_cast<CUresult>(write(bytes, AddressSpace::granule));
}

CUresult cuMemAddressReserve(CUdeviceptr* result, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
    return drive(__func__, [&](const Call& call) {
        if (result == nullptr || !whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
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
        if (handle == nullptr || properties == nullptr || !whole_granules(bytes)) return CUDA_ERROR_INVALID_VALUE;
        if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return refuse("cuMemCreate on the host");
        // Asking for an exportable handle is allowed; exporting one is refused.
        constexpr unsigned wishes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        if ((properties->requestedHandleTypes & ~wishes) != 0)
            return CUDA_ERROR_NOT_SUPPORTED;  // as on any GPU with no fabric
        const int device = properties->location.id;
        if (!call.simulation.has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
        auto& of = call.simulation.device(device);
        call.simulation.use(of);
        const Physical* physical = VirtualMemory::here().create(of, *properties, bytes);
        if (physical == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
        *handle = handle_of(*physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return drive(__func__, [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (physical == nullptr || physical->owners == 0) return CUDA_ERROR_INVALID_VALUE;
        VirtualMemory::here().release(call.simulation, *physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
    return drive(__func__, [&](const Call&) {
        Physical* physical = VirtualMemory::here().mapped_at(reinterpret_cast<std::uintptr_t>(address));
        if (handle == nullptr || physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
        ++physical->owners;
        *handle = handle_of(*physical);
        return CUDA_SUCCESS;
    });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
    return drive(__func__, [&](const Call&) {
        const Physical* physical = VirtualMemory::here().find(handle);
        if (properties == nullptr || physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
        *properties = physical->properties;
        return CUDA_SUCCESS;
    });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
    return drive(__func__, [&](const Call& call) {
        Physical* physical = VirtualMemory::here().find(handle);
        if (physical == nullptr || offset != 0 || bytes != physical->bytes) return CUDA_ERROR_INVALID_VALUE;
        if (!call.simulation.virtual_addresses->contains(address) || address % AddressSpace::granule != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (physical->mapped) return refuse("cuMemMap of the same memory twice");
        return VirtualMemory::here().map(*physical, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* descriptions, size_t count) {
    return drive(__func__, [&](const Call& call) {
        if (descriptions == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
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
        if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
        if (start != nullptr) *start = found->address;
        if (bytes != nullptr) *bytes = found->bytes;
        return CUDA_SUCCESS;
    });
}

}  // extern "C"
}  // namespace tocuda::simulator
