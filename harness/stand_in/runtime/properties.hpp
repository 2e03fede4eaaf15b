// tocuda, Apache-2.0.
// What the runtime tells of a simulated GPU: the properties, and the attributes by number. Both come from the profile.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include "model/simulated/gpu.hpp"

namespace tocuda::stand_in {

void write_uuid(const std::string& text, cudaUUID_t& uuid);  // "GPU-..."
cudaDeviceProp properties_of(const SimulatedGpu& gpu);
// Nothing where neither the profile nor the rules of all GPUs know it.
std::optional<int> attribute_of(const SimulatedGpu& gpu, int attribute);

}  // namespace tocuda::stand_in
