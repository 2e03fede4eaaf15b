// tocuda, Apache-2.0.
// Queries the CUDA runtime, attribute by attribute.
#include "measurement/gpu/gpu_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/driver_function.hpp"
#include "measurement/peaks.hpp"
#include "measurement/shared_gpu.hpp"

namespace tocuda {
namespace {

int known(cudaDeviceAttr which) { return std::max(attribute(which), 0); }

std::string dotted(int capability) { return std::to_string(capability / 10) + "." + std::to_string(capability % 10); }

std::string in_digits(const cudaUUID_t& uuid) {
    std::string text;
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
        text += digits.data();
        if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
    }
    return text;
}

// Since 11.4 the driver's function returns the UUID of a MIG instance; before, that of the whole GPU.
constexpr unsigned first_with_uuids = 9020;
constexpr unsigned first_with_instances = 11040;

std::optional<cudaUUID_t> uuid_by_the_driver(unsigned interface_version) {
    auto* const ask = driver_function<CUresult(CUuuid*, CUdevice)>("cuDeviceGetUuid", interface_version);
    cudaUUID_t uuid{};
    if (!ask || ask(&uuid, current_device()) != CUDA_SUCCESS) return std::nullopt;
    return uuid;
}

}  // namespace

int current_device() {
    int device = 0;
    require("cudaGetDevice", cudaGetDevice(&device));
    return device;
}

int attribute(cudaDeviceAttr which) {
    int value = 0;
    require("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&value, which, current_device()));
    return value;
}

std::string uuid_of_current_device() {
    const auto whole = uuid_by_the_driver(first_with_uuids);
    const auto part = uuid_by_the_driver(first_with_instances);
    if (whole && part && in_digits(*whole) != in_digits(*part)) return std::string(mig_prefix) + in_digits(*part);
    cudaDeviceProp properties{};
    require("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, current_device()));
    return "GPU-" + in_digits(properties.uuid);
}

std::string bus_id_of_current_device() {
    std::array<char, 64> text{};
    require("cudaDeviceGetPCIBusId",
            cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), current_device()));
    return text.data();
}

GpuFacts gpu_facts() {
    return {
        .compute_capability = 10 * known(cudaDevAttrComputeCapabilityMajor) + known(cudaDevAttrComputeCapabilityMinor),
        .multiprocessors = static_cast<unsigned>(std::max(known(cudaDevAttrMultiProcessorCount), 1)),
        .l2_bytes = static_cast<std::size_t>(known(cudaDevAttrL2CacheSize)),
        .shared_bytes = static_cast<std::size_t>(known(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
        .memory = memory_peak()};
}

Peak memory_peak(const GpuFacts& gpu, std::size_t footprint_bytes) {
    if (footprint_bytes <= gpu.l2_bytes || gpu.memory.bytes_per_second <= 0) return {};
    auto peak = gpu.memory;
    peak.footprint_bytes = static_cast<std::int64_t>(footprint_bytes);
    peak.l2_bytes = static_cast<std::int64_t>(gpu.l2_bytes);
    return peak;
}

std::string why_not_capable(const GpuFacts& gpu, int compute_capability) {
    if (gpu.compute_capability >= compute_capability) return "";
    return "compute capability " + dotted(compute_capability) + " is needed; this GPU has " +
           dotted(gpu.compute_capability);
}

}  // namespace tocuda
