// tocuda, Apache-2.0.
#include "benchmarks/pairs/multicast_memory.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/driver_function.hpp"

namespace tocuda {
namespace {

constexpr unsigned interface_version = 12010;  // the first with multicast

// Calls the driver's function of this name.
template <class Function, class... Arguments>
void call(const char* name, Arguments... arguments) {
    auto* const found = driver_function<Function>(name, interface_version);
    if (!found) throw std::runtime_error(std::string("the driver has no function ") + name);
    require(name, static_cast<cudaError_t>(found(arguments...)));
}

// A file descriptor could stand for it, as NCCL wants it, whose way is well tried.
const VirtualKind kind_of_parts{.handle = "file_descriptor"};

CUmulticastObjectProp properties(int gpus, std::size_t bytes) {
    CUmulticastObjectProp wanted{};
    wanted.numDevices = static_cast<unsigned>(gpus);
    wanted.size = bytes;
    wanted.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return wanted;
}

std::size_t in_granules(int gpus, std::size_t bytes) {
    const auto wanted = properties(gpus, bytes);
    std::size_t granule = 0;
    call<decltype(cuMulticastGetGranularity)>("cuMulticastGetGranularity", &granule, &wanted,
                                              CU_MULTICAST_GRANULARITY_MINIMUM);
    return (bytes + granule - 1) / granule * granule;
}

}  // namespace

std::string why_no_multicast(int gpus) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
        int supported = 0;
        call<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute", &supported,
                                             CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, gpu);
        if (supported == 0)
            return "GPUs behind a switch that stores for all of them are needed; the driver says that GPU " +
                   std::to_string(gpu) + " has no multicast";
        const OnDevice current(gpu);
        if (auto why = why_no_virtual_memory(kind_of_parts); !why.empty()) return why;
    }
    return "";
}

MulticastMemory::MulticastMemory(int gpus, std::size_t least_bytes) : bytes(in_granules(gpus, least_bytes)) {
    try {
        const auto wanted = properties(gpus, bytes);
        CUmemGenericAllocationHandle fresh = 0;
        call<decltype(cuMulticastCreate)>("cuMulticastCreate", &fresh, &wanted);
        handle = fresh;
        for (int gpu = 0; gpu < gpus; ++gpu) call<decltype(cuMulticastAddDevice)>("cuMulticastAddDevice", fresh, gpu);
        std::vector<CUmemAccessDesc> access;
        for (int gpu = 0; gpu < gpus; ++gpu) {
            const OnDevice current(gpu);
            parts.push_back(std::make_unique<VirtualMemory>(kind_of_parts, bytes));
            parts.back()->make();
            call<decltype(cuMulticastBindMem)>("cuMulticastBindMem", fresh, std::size_t{0}, parts.back()->handle(),
                                               std::size_t{0}, bytes, 0ULL);
            ++bound;
            access.push_back({.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
        }
        CUdeviceptr reserved = 0;
        call<decltype(cuMemAddressReserve)>("cuMemAddressReserve", &reserved, bytes, std::size_t{0}, CUdeviceptr{0},
                                            0ULL);
        address = reserved;
        call<decltype(cuMemMap)>("cuMemMap", reserved, bytes, std::size_t{0}, fresh, 0ULL);
        mapped = true;
        call<decltype(cuMemSetAccess)>("cuMemSetAccess", reserved, bytes, access.data(), access.size());
    } catch (...) {
        take_back();
        throw;
    }
}

MulticastMemory::~MulticastMemory() { take_back(); }

void MulticastMemory::take_back() {
    try {
        if (std::exchange(mapped, false)) call<decltype(cuMemUnmap)>("cuMemUnmap", CUdeviceptr{address}, bytes);
        if (address != 0) call<decltype(cuMemAddressFree)>("cuMemAddressFree", CUdeviceptr{address}, bytes);
        for (int gpu = 0, all = std::exchange(bound, 0); gpu < all; ++gpu)
            call<decltype(cuMulticastUnbind)>("cuMulticastUnbind", CUmemGenericAllocationHandle{handle}, gpu,
                                              std::size_t{0}, bytes);
        if (handle != 0) call<decltype(cuMemRelease)>("cuMemRelease", CUmemGenericAllocationHandle{handle});
    } catch (const std::exception&) {
        return;  // the context is lost, and with it the memory
    }
}

}  // namespace tocuda
