// tocuda, Apache-2.0.
#include "execution/listing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "execution/bench_goal.hpp"
#include "execution/place.hpp"
#include "machine/simulation_spec.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

Listed list_one(const Selected& what, const Available& available) {
    Listed listed{*what.scenario, what.worker->name, "no", ""};
    if (!what.worker->trouble.empty()) {
        listed.because = what.worker->name + " " + what.worker->trouble;
        return listed;
    }
    const auto steps = plan({what}, available);
    for (const auto device : {Device::none, Device::simulated, Device::real})
        if (std::any_of(steps.begin(), steps.end(),
                        [&](const Step& step) { return step.skipped.empty() && step.device == device; }))
            listed.runnable = word(device);
    const auto skipped =
        std::find_if(steps.begin(), steps.end(), [](const Step& step) { return !step.skipped.empty(); });
    const auto left = std::count_if(steps.begin(), steps.end(), [](const Step& step) { return !step.skipped.empty(); });
    if (listed.runnable == "no") listed.because = skipped->skipped;
    else if (left > 0) listed.because = fmt::format("{} of {} variants: {}", left, steps.size(), skipped->skipped);
    else
        listed.because = needs_of(*what.scenario, what.scenario->variants.front()).gpus > 0 ? "found " + available.found
                                                                                            : "needs no GPU";
    return listed;
}

ListedBenchmark list_one(const SelectedBenchmark& what, const Available& available) {
    ListedBenchmark listed{*what.benchmark, what.worker->name, "no", ""};
    const auto& needs = what.benchmark->needs;
    const int needed = needs.gpus;
    if (!what.worker->trouble.empty()) listed.because = what.worker->name + " " + what.worker->trouble;
    else if (!what.worker->unmet.empty()) listed.because = what.worker->unmet;
    else if (needed == 0) listed = {*what.benchmark, what.worker->name, "none", "needs no GPU"};
    else if (available.device == Device::simulated)
        listed = {*what.benchmark, what.worker->name, "simulated",
                  fmt::format("with `bench --simulate {}x{}`", needed, needs.profile.empty() ? "H200" : needs.profile)};
    else if (available.gpus < needed)
        listed.because = fmt::format("needs {}; found {}", counted(needed, "GPU"), available.found);
    else listed = {*what.benchmark, what.worker->name, "real", "found " + available.found};
    if (listed.runnable != "no" && !needs.machine.empty()) listed.because += ", if this machine has " + needs.machine;
    return listed;
}

}  // namespace

Available gpus_for_the_list() {
    std::error_code error;
    Available available;
    for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error)) {
        (void)gpu;
        ++available.gpus;
    }
    if (available.gpus == 0 && why_no_simulation().empty())
        return available_by_simulation(default_simulation, *parse_simulation(default_simulation));
    if (available.gpus == 0) return available;
    available.device = Device::real;
    available.gib = 1e9;  // unknown, because no driver is asked
    available.found = counted(available.gpus, "GPU");
    return available;
}

std::vector<ListedBenchmark> list_for_this_machine(const std::vector<SelectedBenchmark>& selected) {
    const auto available = gpus_for_the_list();
    std::vector<ListedBenchmark> listing;
    for (const auto& what : selected) listing.push_back(list_one(what, available));
    return listing;
}

std::vector<Listed> list_for_this_machine(const std::vector<Selected>& selected) {
    const auto available = gpus_for_the_list();
    std::vector<Listed> listing;
    for (const auto& what : selected) listing.push_back(list_one(what, available));
    return listing;
}

}  // namespace tocuda
