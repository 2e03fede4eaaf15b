// tocuda, Apache-2.0.
// Whether a need fits on a GPU, and how sure that is.
#pragma once

#include "simulated/fitting.hpp"

namespace tocuda {

// How reasons begin that speak for one answer only, or for none.
inline constexpr const char* of_cudnn = "what cuDNN takes; LibTorch's own kernels took its place";
inline constexpr const char* of_collectives = "NCCL's buffers, which come on top";
inline constexpr const char* of_kernels =
    "kernels launched outside LibTorch's operators, which may need memory of their own";
inline constexpr const char* of_sizes = "the size of a result that depends on values, because nothing was computed";
inline constexpr const char* of_sums =
    "whether processes that share a GPU peak at the same time; their peaks were added";
inline constexpr const char* of_compile =
    "what Inductor would save: the graphs of torch.compile ran operator by operator";
inline constexpr const char* of_replay =
    "the smallest memory: the replay did not take the same memory as the program, so it is a guess";

// Without an own run: what follows from the need. With one: what the program did on this GPU's memory decides.
FitGpu judged(const FitTarget& target, const FitNeed& need, const std::optional<FitOwnRun>& own = {});

// Whether the need does not say what happens on this GPU: the program asks how much memory is free, it failed where the
// replay did not, or it may catch an out of memory and go on where there is less than the brink.
bool wants_own_run(const FitTarget& target, const FitNeed& need);

}  // namespace tocuda
