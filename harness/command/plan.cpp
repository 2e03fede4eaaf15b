// tocuda, Apache-2.0.
#include "command/plan.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tocuda {
namespace {

std::string unmet(const Needs& needs, const Available& available) {
    if (needs.gpus > available.gpus)
        return fmt::format("needs {} GPU{}; found {}", needs.gpus, needs.gpus == 1 ? "" : "s", available.found);
    if (needs.free_gib > available.largest_gib)
        return fmt::format("needs {} GiB free on a GPU; found {}", needs.free_gib, available.found);
    if (needs.arithmetic && available.device == Device::simulated)
        return "needs a GPU that computes; found only simulated ones, which compute nothing";
    return "";
}

bool uses_fake_driver(const Variant& variant) {
    return std::any_of(variant.fakes.begin(), variant.fakes.end(),
                       [](const std::string& name) { return name.starts_with("driver ") && name != "driver absent"; });
}

}  // namespace

Step plan_variant(const Selected& what, const Variant& variant, const Available& available) {
    Step step{what, &variant};
    if (!what.worker->trouble.empty()) return step;  // the worker is broken, whatever the variant needs
    const auto& needs = needs_of(*what.scenario, variant);
    if (uses_fake_driver(variant)) {
        step.device = Device::simulated;
    } else if (!variant.faults.empty() && available.device != Device::none) {
        step.device = Device::simulated;  // no real GPU fails on demand
        step.simulation = variant.simulate;
    } else if (needs.gpus > 0 && available.device == Device::simulated) {
        step.device = Device::simulated;
        step.simulation = variant.simulate.empty() ? available.simulation : variant.simulate;
    } else if (needs.gpus > 0) {
        step.device = available.device;
    }
    // A variant that names its own simulated GPUs needs no others.
    const bool fixed = !step.simulation.empty() && !variant.simulate.empty();
    step.skipped = fixed && !needs.arithmetic ? "" : unmet(needs, available);
    return step;
}

std::vector<Step> plan(const std::vector<Selected>& selected, const Available& available) {
    std::vector<Step> steps;
    for (const auto& what : selected)
        for (const auto& variant : what.scenario->variants)
            if (what.takes(variant)) steps.push_back(plan_variant(what, variant, available));
    return steps;
}

}  // namespace tocuda
