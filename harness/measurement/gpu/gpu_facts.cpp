// tocuda, Apache-2.0.
// Queries the CUDA runtime, attribute by attribute.
#include "measurement/gpu/gpu_facts.hpp"

#include <algorithm>

#include "measurement/gpu/current_device.hpp"
#include "measurement/peaks.hpp"

namespace tocuda {
namespace {

int known(cudaDeviceAttr which) { return std::max(attribute(which), 0); }

std::string dotted(int capability) { return std::to_string(capability / 10) + "." + std::to_string(capability % 10); }

}  // namespace

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
