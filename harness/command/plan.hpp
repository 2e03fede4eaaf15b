// tocuda, Apache-2.0.
// Decides where each variant runs on this machine, or why it is skipped. Pure.
#pragma once

#include <string>
#include <vector>

#include "command/selection.hpp"
#include "model/row.hpp"

namespace tocuda {

// The available GPUs, real or simulated.
struct Available {
    Device device = Device::none;
    int gpus = 0;
    double largest_gib = 0;
    std::string found = "no GPU";  // for people: "1 GPU", "no driver: libcuda.so.1 ..."
    std::string simulation{};      // their SPEC, if they are simulated
};

struct Step {
    Selected what;
    const Variant* variant = nullptr;
    Device device = Device::none;  // where it will run; a fake driver counts as simulated
    std::string simulation{};      // the SPEC of the simulated GPUs that it runs on
    std::string skipped{};         // what is needed and what was found; empty if it runs
};

Step plan_variant(const Selected& what, const Variant& variant, const Available& available);
std::vector<Step> plan(const std::vector<Selected>& selected, const Available& available);

}  // namespace tocuda
