// tocuda, Apache-2.0.
// Whether a need fits on a GPU, and how sure that is.
#pragma once

#include "command/fitting.hpp"

namespace tocuda {

// How reasons begin that speak for one answer only, or for none.
inline constexpr auto of_cudnn = "what cuDNN takes; LibTorch's own kernels took its place";
inline constexpr auto of_collectives = "NCCL's buffers, which come on top";
inline constexpr auto of_kernels = "what a kernel of no operator would take";
inline constexpr auto of_replay = "the smallest memory";

FitGpu judged(const FitTarget& target, const FitNeed& need);

}  // namespace tocuda
