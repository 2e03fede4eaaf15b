// tocuda, Apache-2.0.
// The current device of the CUDA runtime: its identifiers and attributes.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace tocuda {

int current_device();
int attribute(cudaDeviceAttr which);
std::string uuid_of_current_device();    // "GPU-..."
std::string bus_id_of_current_device();  // "0000:C1:00.0"

}  // namespace tocuda
