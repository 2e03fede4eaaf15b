// tocuda, Apache-2.0.
// Finds out how much memory of a GPU a program needs, and whether that fits on a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fitted.hpp"
#include "simulator/schema/simulated_machine.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// Finds out how much memory of a GPU a program needs: runs it where there is plenty, replays what its allocator did to
// find the smallest memory, and runs the program there.
struct FitTarget {
    std::string name{};  // as asked for: "H100", "2xL4", "24GiB"
    SimulatedMachine machine{};
};

// The command holds {NAME}, for which whole numbers are put.
struct FitVariation {
    std::string name{};
    std::int64_t least = 0;
    std::int64_t most = 0;
};

struct Fitting {
    std::vector<FitTarget> targets{};
    Words command{};
    Words settings{};                       // other ones that are replayed too
    std::optional<std::int64_t> outside{};  // of a GPU, besides LibTorch; nullopt: an estimate
    std::optional<FitVariation> variation{};
    std::string record{};  // where the recording stays; empty: nowhere
    int steps = 0;         // of the optimizer, after which the program ends; 0: its own end
    bool computes = true;
};

OrExit<Fitted> fitted(const Fitting& asked);

// Whether a need fits on a GPU, and how sure that is.

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
