// tocuda, Apache-2.0.
// The driver's result codes have the numbers of the runtime's errors, so failures are reported as those.
#include "benchmarks/allocate/virtual_memory.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <utility>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/driver_function.hpp"
#include "measurement/gpu/gpu_facts.hpp"

namespace tocuda {
namespace {

constexpr unsigned interface_version = 12000;  // the first with fabric handles; older drivers know all but these

template <class Function>
Function* needed(const char* name) {
    auto* const found = driver_function<Function>(name, interface_version);
    if (!found) throw std::runtime_error(std::string("the driver has no function ") + name);
    return found;
}

struct Driver {
    decltype(cuDeviceGetAttribute)* attribute = needed<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
    decltype(cuMemGetAllocationGranularity)* granularity =
        needed<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
    decltype(cuMemAddressReserve)* reserve = needed<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
    decltype(cuMemAddressFree)* give_up = needed<decltype(cuMemAddressFree)>("cuMemAddressFree");
    decltype(cuMemCreate)* create = needed<decltype(cuMemCreate)>("cuMemCreate");
    decltype(cuMemGetAllocationPropertiesFromHandle)* properties_of =
        needed<decltype(cuMemGetAllocationPropertiesFromHandle)>("cuMemGetAllocationPropertiesFromHandle");
    decltype(cuMemRelease)* release = needed<decltype(cuMemRelease)>("cuMemRelease");
    decltype(cuMemMap)* map = needed<decltype(cuMemMap)>("cuMemMap");
    decltype(cuMemSetAccess)* set_access = needed<decltype(cuMemSetAccess)>("cuMemSetAccess");
    decltype(cuMemUnmap)* unmap = needed<decltype(cuMemUnmap)>("cuMemUnmap");

    static const Driver& here() {
        static const Driver only;
        return only;
    }
};

void require_driver(const char* call, CUresult result) { require(call, static_cast<cudaError_t>(result)); }

bool has(CUdevice_attribute attribute) {
    int value = 0;
    require_driver("cuDeviceGetAttribute", Driver::here().attribute(&value, attribute, current_device()));
    return value != 0;
}

CUmemLocation memory_of(int device) {
    CUmemLocation location{};
    location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    location.id = device;
    return location;
}

CUmemAllocationProp properties(const VirtualKind& kind, int device) {
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = memory_of(device);
    wanted.requestedHandleTypes = kind.handle == "file_descriptor" ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                                  : kind.handle == "fabric"        ? CU_MEM_HANDLE_TYPE_FABRIC
                                                                   : CU_MEM_HANDLE_TYPE_NONE;
    if (kind.compressible) wanted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    return wanted;
}

std::size_t in_granules(const CUmemAllocationProp& wanted, std::size_t bytes) {
    std::size_t granule = 0;
    require_driver("cuMemGetAllocationGranularity",
                   Driver::here().granularity(&granule, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    return (bytes + granule - 1) / granule * granule;
}

std::string why_without_the_attributes(const VirtualKind& kind) {
    const auto lacking = [](const char* what) {
        return std::string("needs ") + what + "; the driver says that this GPU has none";
    };
    if (!has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)) return lacking("virtual memory management");
    if (kind.handle == "file_descriptor" && !has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
        return lacking("memory that can be shared through a file descriptor");
    if (kind.handle == "fabric" && !has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED))
        return lacking("memory that can be shared through a fabric handle");
    if (kind.compressible && !has(CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED))
        return lacking("compressible memory");
    return "";
}

}  // namespace

// No attribute tells everything: fabric handles need an IMEX channel too, and compression is only a wish.
std::string why_no_virtual_memory(const VirtualKind& kind) {
    if (auto why = why_without_the_attributes(kind); !why.empty()) return why;
    const auto wanted = properties(kind, current_device());
    CUmemGenericAllocationHandle one = 0;
    const auto answer = static_cast<cudaError_t>(Driver::here().create(&one, in_granules(wanted, 1), &wanted, 0));
    if (answer == cudaErrorNotSupported || answer == cudaErrorNotPermitted)
        return "another driver or another right is needed: " + std::string(CudaError("cuMemCreate", answer).what());
    require("cuMemCreate", answer);
    CUmemAllocationProp given{};
    const auto told = Driver::here().properties_of(&given, one);
    require_driver("cuMemRelease", Driver::here().release(one));
    require_driver("cuMemGetAllocationPropertiesFromHandle", told);
    if (given.allocFlags.compressionType != wanted.allocFlags.compressionType)
        return "compressible memory is needed; the driver granted memory that is not";
    return "";
}

VirtualMemory::VirtualMemory(VirtualKind memory_kind, std::size_t least_bytes)
    : kind(std::move(memory_kind)), device(current_device()),
      bytes(in_granules(properties(kind, device), least_bytes)) {
    CUdeviceptr reserved = 0;
    require_driver("cuMemAddressReserve", Driver::here().reserve(&reserved, bytes, 0, 0, 0));
    address = reserved;
}

VirtualMemory::~VirtualMemory() {
    try {
        take_back();
    } catch (const CudaError&) {
        return;  // the context is lost, and with it the memory
    }
    Driver::here().give_up(address, bytes);
}

void VirtualMemory::create() {
    const auto wanted = properties(kind, device);
    CUmemGenericAllocationHandle fresh = 0;
    require_driver("cuMemCreate", Driver::here().create(&fresh, bytes, &wanted, 0));
    physical = fresh;
}

void VirtualMemory::map() {
    require_driver("cuMemMap", Driver::here().map(address, bytes, 0, physical.value(), 0));
    mapped = true;
}

void VirtualMemory::open() {
    CUmemAccessDesc access{};
    access.location = memory_of(device);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    require_driver("cuMemSetAccess", Driver::here().set_access(address, bytes, &access, 1));
}

void VirtualMemory::take_back() {
    if (std::exchange(mapped, false)) require_driver("cuMemUnmap", Driver::here().unmap(address, bytes));
    if (const auto one = std::exchange(physical, std::nullopt))
        require_driver("cuMemRelease", Driver::here().release(*one));
}

std::byte* VirtualMemory::at() const { return reinterpret_cast<std::byte*>(address); }

}  // namespace tocuda
