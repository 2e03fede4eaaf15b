// tocuda, Apache-2.0.
// Selects where kernels run: `launch(stream, grid, kernel, arguments...)` launches on the GPU if nvcc compiles the
// worker, and runs the same kernel on the CPU in the worker for simulated GPUs, which a C++ compiler compiles.
#pragma once

#ifdef __CUDACC__
#include "measurement/device_launch.hpp"
#else
#include "measurement/host_launch.hpp"
#endif
