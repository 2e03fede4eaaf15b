// tocuda, Apache-2.0.
#include "execution/run_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

// An unknown capability may be the one that is needed.
bool has_capability(const std::string& needed, const std::string& found) {
    constexpr std::string_view below = "below ";
    if (needed.empty() || found.empty()) return true;
    if (needed.starts_with(below)) return capability_number(found) < capability_number(needed.substr(below.size()));
    return capability_number(found) >= capability_number(needed);
}

std::string unmet(const Needs& needs, const Available& available) {
    const auto first = available.gpus > 1 ? "the first GPU is one" : "the GPU is one";
    if (needs.gpus > available.gpus)
        return fmt::format("needs {}; found {}", counted(needs.gpus, "GPU"), available.found);
    if (available.gib > 0 && needs.free_gib > available.gib)
        return fmt::format("needs {:g} GiB of GPU memory; {} of {:.3g} GiB", needs.free_gib, first, available.gib);
    if (!has_capability(needs.compute_capability, available.capability))
        return fmt::format("needs compute capability {}; {} of {}", needs.compute_capability, first,
                           available.capability);
    if (needs.arithmetic && available.device == Device::simulated)
        return "needs a real GPU, because it compares speeds; found only simulated ones";
    return "";
}

bool uses_fake_driver(const Variant& variant) {
    return std::ranges::any_of(
        variant.fakes, [](const std::string& name) { return name.starts_with("driver ") && name != "driver absent"; });
}

}  // namespace

bool on_gpus_of_its_own(const Step& step) {
    return !step.planned_as_real && !step.simulation.empty() && step.simulation == step.variant->simulate;
}

bool sees_one_gpu(const Step& step) {
    const bool of_the_place = step.device == Device::real || step.planned_as_real;
    return of_the_place && needs_of(*step.what.scenario, *step.variant).gpus == 1 &&
           !step.variant->environment.contains("CUDA_VISIBLE_DEVICES");
}

int capability_number(const std::string& text) {
    int major = 0;
    int minor = 0;
    const auto dot = std::from_chars(text.data(), text.data() + text.size(), major);
    if (dot.ptr < text.data() + text.size()) std::from_chars(dot.ptr + 1, text.data() + text.size(), minor);
    return 10 * major + minor;
}

Step plan_variant(const Selected& what, const Variant& variant, const Available& available) {
    Step step{what, &variant};
    if (!what.worker->trouble.empty()) return step;  // the worker is broken, whatever the variant needs
    step.skipped = what.worker->unmet;
    if (!step.skipped.empty()) return step;
    const auto& needs = needs_of(*what.scenario, variant);
    if (uses_fake_driver(variant)) {
        step.device = Device::simulated;
    } else if (!variant.faults.empty() && available.device != Device::none) {
        step.device = Device::simulated;  // no real GPU fails on demand
        step.simulation = variant.simulate;
    } else if (needs.gpus > 0 && available.device == Device::simulated) {
        step.device = Device::simulated;
        step.planned_as_real = available.planned_as_real;
        const bool own = !variant.simulate.empty() && !step.planned_as_real;
        step.simulation = own ? variant.simulate : available.simulation;
    } else if (needs.gpus > 0) {
        step.device = available.device;
    }
    step.skipped = on_gpus_of_its_own(step) && !needs.arithmetic ? "" : unmet(needs, available);
    return step;
}

std::vector<Step> plan(const std::vector<Selected>& selected, const Available& available) {
    std::vector<Step> steps;
    for (const auto& what : selected)
        for (const auto& variant : what.scenario->variants)
            if (what.takes(variant)) steps.push_back(plan_variant(what, variant, available));
    return steps;
}

PlannedVariant planned(const Step& step) {
    return {.scenario = step.what.scenario->name,
            .variant = step.variant->name,
            .device = step.device,
            .simulation = step.simulation,
            .skipped = step.skipped,
            .variables = step.variant->environment};
}

FoundSteps steps_of(const Plan& plan, const Catalogue& catalogue, const Available* anew) {
    std::map<std::pair<std::string, std::string>, Step> known;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios)
            for (const auto& variant : scenario.variants)
                known.emplace(std::pair(scenario.name, variant.name), Step{{&worker, &scenario}, &variant});
    FoundSteps found;
    for (const auto& [scenario, variant, device, simulation, skipped, variables] : plan.variants) {
        const auto step = known.find({scenario, variant});
        if (step == known.end()) {
            found.missing.push_back(scenario + " " + variant);
        } else if (anew) {
            found.steps.push_back(plan_variant(step->second.what, *step->second.variant, *anew));
        } else {
            found.steps.push_back({step->second.what, step->second.variant, device, simulation, skipped});
        }
    }
    return found;
}

}  // namespace tocuda
