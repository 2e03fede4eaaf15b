// tocuda, Apache-2.0.
// Decides where each variant runs on this machine, or why it is skipped. Pure.
#pragma once

#include <string>
#include <vector>

#include "execution/place.hpp"
#include "model/plan.hpp"
#include "model/row.hpp"
#include "request/selection.hpp"

namespace tocuda {

struct Step {
    Selected what;
    const Variant* variant = nullptr;
    Device device = Device::none;  // where it will run; a fake driver counts as simulated
    std::string simulation{};      // the SPEC of the simulated GPUs that it runs on
    std::string skipped{};         // what is needed and what was found; empty if it runs
    bool planned_as_real = false;  // on simulated GPUs of the place, under the rules of real ones

    bool times_something() const { return variant && needs_of(*what.scenario, *variant).arithmetic; }
};

// Whether it runs on simulated GPUs that the variant names itself. It needs no others, and --gpus does not choose among
// them.
bool on_gpus_of_its_own(const Step& step);

// Whether it is shown one of the place's GPUs only: the driver takes longer to start the more it sees. What needs
// several, or has a list of its own, is about more than one.
bool sees_one_gpu(const Step& step);

// "9.0" as 90; 0 if it cannot be parsed.
int capability_number(const std::string& text);

Step plan_variant(const Selected& what, const Variant& variant, const Available& available);
std::vector<Step> plan(const std::vector<Selected>& selected, const Available& available);

PlannedVariant planned(const Step& step);

struct FoundSteps {
    std::vector<Step> steps{};
    std::vector<std::string> missing{};  // variants of the plan that no worker of this build has
};

// Returns the steps of a recorded plan. If `anew`, their places are decided for these GPUs instead of as recorded.
FoundSteps steps_of(const Plan& plan, const Catalogue& catalogue, const Available* anew);

}  // namespace tocuda
