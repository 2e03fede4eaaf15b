// tocuda, Apache-2.0.
#include "execution/bench_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "execution/run_plan.hpp"
#include "request/characterise.hpp"
#include "request/selection.hpp"

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

double budget_of(const BenchRequest& request, const Place& place) {
    constexpr double quick_seconds = 60;
    constexpr double default_seconds = 480;
    constexpr double characterise_seconds = 900;
    if (request.budget > 0) return request.budget;
    if (request.wanted.protocol == "full") return 0;
    const auto gpus = request.together ? 1 : std::max<std::size_t>(1, place.chosen.size());  // one after another
    const double of_one = request.wanted.characterise          ? characterise_seconds
                          : request.wanted.protocol == "quick" ? quick_seconds
                                                               : default_seconds;
    return of_one * static_cast<double>(gpus);
}

std::string too_old(const Needs& needs, const Gpu& gpu) {
    if (needs.compute_capability.empty() || !gpu.compute_capability) return "";
    if (capability_number(*gpu.compute_capability) >= capability_number(needs.compute_capability)) return "";
    return fmt::format("needs compute capability {}; {} has {}", needs.compute_capability, gpu.name.value_or("the GPU"),
                       *gpu.compute_capability);
}

std::string too_small(const Needs& needs, const Gpu& gpu) {
    constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;
    if (!gpu.memory_bytes) return "";
    const auto gib = static_cast<double>(*gpu.memory_bytes) / bytes_of_gib;
    return gib >= needs.free_gib
               ? ""
               : fmt::format("needs {:g} GiB; {} has {:.3g}", needs.free_gib, gpu.name.value_or("the GPU"), gib);
}

int major_of(const std::string& version) {
    int major = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    return major;
}

// Why none of these benchmarks can use a GPU; empty if one can.
std::string why_all_would_fail(const std::vector<Sweep>& sweeps, const RunLine& line) {
    std::string why;
    for (const auto& sweep : sweeps) {
        if (sweep.benchmark.needs.gpus == 0) return "";
        why = why_driver_is_too_old(*sweep.worker, line);
        if (why.empty()) return "";
    }
    return why;
}

std::string unsuited(const Sweep& sweep, const std::vector<int>& visible, const std::vector<Gpu>& gpus) {
    if (sweep.worker && !sweep.worker->unmet.empty()) return sweep.worker->unmet;
    const auto& needs = sweep.benchmark.needs;
    for (const int index : visible)
        for (const auto& gpu : gpus) {
            if (gpu.index != index) continue;
            if (auto why = too_old(needs, gpu); !why.empty()) return why;
            if (auto why = too_small(needs, gpu); !why.empty()) return why;
        }
    return "";
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

std::string why_driver_is_too_old(const Worker& worker, const RunLine& line) {
    const auto built = worker.built_with.find("cuda");
    if (line.device != Device::real || built == worker.built_with.end() || !line.driver.cuda) return "";
    if (major_of(*line.driver.cuda) >= major_of(built->second)) return "";
    return fmt::format("{} is built for CUDA {}, the driver supports up to {}", worker.name, built->second,
                       *line.driver.cuda);
}

OrExit<Place> place_to_measure(const Where& where, const std::vector<Sweep>& sweeps, bool together,
                               const Catalogue& catalogue, bool quiet) {
    auto place = place_of(where, WithoutGpu::use_none, catalogue, quiet, UsedGpus::take,
                          together ? ChosenFor::several : ChosenFor::one_each);
    if (!place) return place;
    if (place->available.device == Device::none && needs_a_gpu(sweeps))
        return refuse(
            nothing_done,
            fmt::format("no GPU to measure (found {}): install a GPU and a driver that CUDA can use, simulate "
                        "GPUs with `tocuda bench --simulate 1xH200`, or name what needs none (cpu in `tocuda list`)",
                        place->available.found));
    if (const auto why = why_all_would_fail(sweeps, place->line); !why.empty())
        return refuse(nothing_done, why + "; install a newer driver, or see what `tocuda doctor` suggests");
    auto& chosen = place->chosen;
    if (where.gpus == "all") {
        chosen.resize(place->line.gpus.size());
        std::iota(chosen.begin(), chosen.end(), 0);
    }
    if (together && chosen.size() < 2)
        return refuse(nothing_done, fmt::format("--together needs two GPUs or more, or one several times (--gpus 0,0); "
                                                "found {}",
                                                chosen.size()));
    if (chosen.empty() && place->available.gpus > 0) chosen = {0};
    return place;
}

PlannedBench plan_bench(const BenchRequest& request, const Place& place, std::vector<Sweep> sweeps,
                        const Protocol& protocol) {
    PlannedBench made{{.where = place.where,
                       .seed = request.seed,
                       .child_seconds = request.seconds,
                       .protocol = protocol,
                       .rules = RoundRules{.least = protocol.processes_min},
                       .budget_seconds = budget_of(request, place)},
                      std::move(sweeps),
                      {}};
    const auto& gpus = place.line.gpus;
    made.units = request.together ? units_at_once(made.sweeps, place.chosen, gpus)
                                  : bench_units(made.sweeps, place.chosen, place.chosen_by_name, gpus);
    for (auto& unit : made.units)
        if (unit.skipped.empty() && unit.sweep->benchmark.needs.gpus > 0 && unit.sweep->worker)
            unit.skipped = why_driver_is_too_old(*unit.sweep->worker, place.line);
    add_units(made.plan, made.sweeps, made.units);
    return made;
}

bool is_together(const Plan& plan) {
    return std::ranges::any_of(plan.units, [](const PlannedUnit& unit) { return unit.at_once; });
}

bool needs_a_gpu(const std::vector<Sweep>& sweeps) {
    return std::ranges::any_of(sweeps, [](const Sweep& sweep) { return sweep.benchmark.needs.gpus > 0; });
}

int processes_at_a_time(const Place& place, const std::vector<BenchUnit>& units, int jobs) {
    const bool virtual_only =
        std::ranges::none_of(units, [](const BenchUnit& unit) { return unit.gpus.empty() && unit.skipped.empty(); });
    return place.available.device == Device::simulated && virtual_only ? jobs : 1;
}

std::vector<std::string> uuids_of(const std::vector<int>& chosen, const std::vector<Gpu>& gpus) {
    std::vector<std::string> uuids;
    for (const int gpu : chosen) uuids.push_back(gpus.at(static_cast<std::size_t>(gpu)).uuid.value_or(""));
    if (std::ranges::find(uuids, "") != uuids.end()) uuids.clear();
    return uuids;
}

std::vector<BenchUnit> units_at_once(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen,
                                     const std::vector<Gpu>& gpus) {
    std::vector<BenchUnit> units;
    for (const auto& sweep : sweeps) {
        const auto& needs = sweep.benchmark.needs;
        if (needs.gpus == 1) units.push_back({&sweep, chosen, unsuited(sweep, chosen, gpus), true});
        else if (needs.gpus == 0) units.push_back({&sweep, {}, "needs no GPU, so --together does not apply"});
        else
            units.push_back(
                {&sweep, {}, fmt::format("needs {} GPUs in one process, so --together does not apply", needs.gpus)});
    }
    return units;
}

std::vector<BenchUnit> bench_units(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen, bool by_name,
                                   const std::vector<Gpu>& gpus) {
    std::vector<int> together = chosen;
    if (!by_name) {
        together.resize(gpus.size());
        std::iota(together.begin(), together.end(), 0);
    }
    std::vector<BenchUnit> units;
    for (const auto& sweep : sweeps) {
        const auto& needs = sweep.benchmark.needs;
        if (needs.gpus == 0) units.push_back({&sweep, {}, unsuited(sweep, {}, gpus)});
        if (needs.gpus == 1)
            for (const int gpu : chosen) units.push_back({&sweep, {gpu}, unsuited(sweep, {gpu}, gpus)});
        if (needs.gpus < 2) continue;
        auto why = unsuited(sweep, together, gpus);
        if (has_mig_instance(together, gpus))
            why = fmt::format("needs {} GPUs in one process, which sees one MIG instance", needs.gpus);
        else if (static_cast<int>(together.size()) < needs.gpus)
            why = fmt::format("needs {} GPUs; {} {}", needs.gpus,
                              by_name && together.size() < gpus.size() ? "--gpus chose" : "found", together.size());
        units.push_back({&sweep, together, why});
    }
    return units;
}

void add_units(Plan& plan, const std::vector<Sweep>& sweeps, const std::vector<BenchUnit>& units) {
    for (const auto& sweep : sweeps) plan.sweeps.push_back({sweep.benchmark.name, sweep.sets});
    for (const auto& unit : units)
        plan.units.push_back(
            {static_cast<std::size_t>(unit.sweep - sweeps.data()), unit.gpus, unit.skipped, unit.at_once});
}

FoundSweeps sweeps_of(const Plan& plan, const Catalogue& catalogue) {
    FoundSweeps found;
    for (const auto& planned : plan.sweeps) {
        const auto& name = planned.benchmark;
        const auto known = select_benchmarks(catalogue, {name});
        const auto same =
            std::ranges::find_if(known, [&](const SelectedBenchmark& one) { return one.benchmark->name == name; });
        if (same == known.end()) {
            found.missing.push_back(name);
            continue;
        }
        const auto& parameters = same->benchmark->parameters;
        const auto unknown = std::ranges::find_if(planned.sets.front(),
                                                  [&](const auto& one) { return !parameters.contains(one.first); });
        if (unknown != planned.sets.front().end()) found.missing.push_back(name + " " + unknown->first);
        else found.sweeps.push_back({same->worker, *same->benchmark, planned.sets});
    }
    return found;
}

std::vector<BenchUnit> units_of(const Plan& plan, const std::vector<Sweep>& sweeps) {
    std::vector<BenchUnit> units;
    for (const auto& [sweep, gpus, skipped, at_once] : plan.units)
        units.push_back({&sweeps.at(sweep), gpus, skipped, at_once});
    return units;
}

}  // namespace tocuda
