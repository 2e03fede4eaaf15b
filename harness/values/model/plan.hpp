// tocuda, Apache-2.0.
// Plan: which process runs what, where and under which rules, as `run` and `bench` record it. Nothing else is needed to
// resume or repeat a run; the order of each round is a function of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"

namespace tocuda {

// Parameters of a row that was measured beside others: how many GPUs or processes at once, and which of several
// processes on one GPU it is of. A row measured alone has neither, so the two are never compared.
inline constexpr const char* at_once_parameter = "at_once";
inline constexpr const char* neighbour_parameter = "neighbour";

// Which GPUs a run uses.
struct Where {
    std::string simulate{};  // SPEC of the simulated GPUs; empty: real ones
    bool real = false;       // never simulate
    std::string gpus{};      // "0,3", a UUID or "all"; empty: not chosen

    bool operator==(const Where&) const = default;
};

struct PlannedVariant {
    std::string scenario{};
    std::string variant{};
    Device device = Device::none;
    std::string simulation{};  // SPEC of the simulated GPUs that it runs on
    std::string skipped{};     // what is needed and what was found; empty if it runs
    Environment variables{};   // that the variant sets, or that the suite sets for it alone

    bool operator==(const PlannedVariant&) const = default;
};

struct PlannedSweep {
    std::string benchmark{};
    std::vector<Parameters> sets{};

    bool operator==(const PlannedSweep&) const = default;
};

// One sweep on one GPU, or on several.
struct PlannedUnit {
    std::size_t sweep = 0;  // its position in the plan
    std::vector<int> gpus{};
    std::string skipped{};
    bool at_once = false;  // one process for each of its GPUs, all at the same time

    bool operator==(const PlannedUnit&) const = default;
};

inline constexpr int rounds_most = 30;

// How many rounds there are, and their numbers.
struct RoundRules {
    int first = 1;
    int least = 6;  // rounds of a group before the next group begins
    int most = rounds_most;
    bool settles = true;  // after `least` rounds, a row whose interval is narrow enough is not measured again
    bool pairs = false;   // units 0 and 1, 2 and 3, ... are measured in pairs, in a seeded order; there are no groups

    bool operator==(const RoundRules&) const = default;
};

struct Plan {
    Where where{};
    std::uint64_t seed = 0;
    double child_seconds = 0;                // deadline of each child; 0: each has its own
    std::vector<PlannedVariant> variants{};  // of a run of scenarios
    // Of a run that measures:
    std::optional<Protocol> protocol{};
    std::optional<RoundRules> rules{};
    double budget_seconds = 0;  // 0: no limit
    std::vector<PlannedSweep> sweeps{};
    std::vector<PlannedUnit> units{};
    Environment variables{};  // that the suite sets for every child

    bool operator==(const Plan&) const = default;
};

}  // namespace tocuda
