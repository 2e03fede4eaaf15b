// tocuda, Apache-2.0.
// The one seam between a GPU and the CPU: `launch(stream, grid, kernel, arguments...)`. A worker that nvcc compiled
// launches on the GPU; one that a C++ compiler compiled, the worker for simulated GPUs, runs the same kernel on the
// CPU.
#pragma once

#ifdef __CUDACC__
#include "measurement/device_launch.hpp"
#else
#include "measurement/host_launch.hpp"
#endif
