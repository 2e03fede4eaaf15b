// tocuda, Apache-2.0.
// A launch on the GPU. Only nvcc reads this file.
#pragma once

#include <cuda_runtime_api.h>

#include "measurement/cuda_error.hpp"
#include "measurement/device_block.hpp"
#include "measurement/grid.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

template <class Kernel, class... Arguments>
void launch(const Stream& stream, const Grid& grid, Kernel kernel, Arguments... arguments) {
    on_device<<<grid.blocks, grid.threads, grid.shared_bytes, stream.get()>>>(kernel, arguments...);
    require("launch", cudaGetLastError());
}

}  // namespace tocuda
