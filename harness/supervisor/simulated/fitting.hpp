// tocuda, Apache-2.0.
// Finds out how much memory of a GPU a program needs: runs it where there is plenty, replays what its allocator did to
// find the smallest memory, and runs the program there.
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

}  // namespace tocuda
