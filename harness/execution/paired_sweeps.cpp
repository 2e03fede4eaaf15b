// tocuda, Apache-2.0.
#include "execution/paired_sweeps.hpp"

#include <algorithm>

namespace tocuda {
namespace {

const Sweep* find(const std::vector<Sweep>& sweeps, const std::string& name) {
    const auto found = std::ranges::find_if(sweeps, [&](const Sweep& sweep) { return sweep.benchmark.name == name; });
    return found == sweeps.end() ? nullptr : &*found;
}

std::vector<Parameters> sets_of_both(const Sweep& ours, const Sweep& theirs) {
    std::vector<Parameters> sets;
    std::ranges::copy_if(ours.sets, std::back_inserter(sets), [&](const Parameters& set) {
        return std::ranges::find(theirs.sets, set) != theirs.sets.end();
    });
    return sets;
}

}  // namespace

PairedSweeps paired_sweeps(const Sweeps& ours, const Sweeps& theirs) {
    PairedSweeps both;
    for (const auto& sweep : ours.sweeps) {
        const auto* other = find(theirs.sweeps, sweep.benchmark.name);
        auto sets = other && other->benchmark.clock == sweep.benchmark.clock ? sets_of_both(sweep, *other)
                                                                             : std::vector<Parameters>{};
        if (sets.empty()) {
            both.alone.push_back(sweep.benchmark.name);
            continue;
        }
        both.ours.push_back({sweep.worker, sweep.benchmark, sets});
        both.theirs.push_back({other->worker, other->benchmark, std::move(sets)});
    }
    for (const auto& sweep : theirs.sweeps)
        if (!find(ours.sweeps, sweep.benchmark.name)) both.alone.push_back(sweep.benchmark.name);
    return both;
}

std::vector<BenchUnit> paired_units(const std::vector<BenchUnit>& units, const PairedSweeps& sweeps) {
    std::vector<BenchUnit> both;
    for (const auto& unit : units) {
        both.push_back(unit);
        both.push_back(unit);
        both.back().sweep = &sweeps.theirs.at(static_cast<std::size_t>(unit.sweep - sweeps.ours.data()));
    }
    return both;
}

}  // namespace tocuda
