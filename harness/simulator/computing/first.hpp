// tocuda, Apache-2.0.
// Operators that are computed instead of being run on the simulated GPU.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace tocuda::computing {

// Whether its CUDA path reads sizes back that depend on values, or needs cuFFT, cuSOLVER or cuSPARSE.
bool computed_first(const c10::OperatorHandle& op);

// Whether an error says that a library or a compiler of NVIDIA's does not work on simulated GPUs.
bool lacks_a_library(const std::exception& error);

}  // namespace tocuda::computing
