// tocuda, Apache-2.0.
// A simulated GPU as the runtime reports it, from its profile: the property structure, and attributes by number.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "simulator/schema/gpu.hpp"

namespace tocuda::simulator {

void write_uuid(const std::string& text, cudaUUID_t& uuid);  // "GPU-..."
cudaDeviceProp properties_of(const SimulatedGpu& gpu);
// Returns nullopt if neither the profile nor the values common to all GPUs have it.
std::optional<int> attribute_of(const SimulatedGpu& gpu, int attribute);

}  // namespace tocuda::simulator
