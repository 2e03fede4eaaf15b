// tocuda, Apache-2.0.
// Two sides that are measured in turns, each into its own file: what `bench --against` and `--against-driver` share.
#pragma once

#include <array>
#include <functional>

#include "execution/bench_plan.hpp"
#include "printing/against_report.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

enum class Whose : std::size_t { ours, theirs };

struct Sides {
    Whose older = Whose::theirs;                          // a change is that of the other one
    std::function<RunLine(const RunLine& ours)> other{};  // the line of their file, with a run of its own
    std::array<const UserDriver*, 2> drivers{};           // that their processes must load
};

OrExit<InTurns> measure_in_turns(const BenchRequest& request, const Place& place, const PairedSweeps& sweeps,
                                 const Sides& sides);

}  // namespace tocuda
