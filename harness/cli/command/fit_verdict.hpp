// tocuda, Apache-2.0.
// Whether a need fits on a GPU, and how sure that is.
#pragma once

#include "command/fitting.hpp"

namespace tocuda {

// How reasons begin that speak for one answer only, or for none.
inline constexpr const char* of_cudnn = "what cuDNN takes; LibTorch's own kernels took its place";
inline constexpr const char* of_collectives = "NCCL's buffers, which come on top";
inline constexpr const char* of_kernels = "what kernels that no operator of LibTorch launches would change";
inline constexpr const char* of_sizes = "how large a result is that depends on values; nothing was computed";
inline constexpr const char* of_sums = "whether the peaks of processes on one GPU come at once; they were added";
inline constexpr const char* of_replay =
    "the smallest memory: the replay did not take the same memory as the program, so it is a guess";

FitGpu judged(const FitTarget& target, const FitNeed& need);

}  // namespace tocuda
