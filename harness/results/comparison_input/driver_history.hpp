// tocuda, Apache-2.0.
// Splits a history by driver, in order of first appearance, and compares each with the previous one. Pure.
#pragma once

#include <vector>

#include "comparison_input/gathering.hpp"
#include "comparison_input/paired_rows.hpp"
#include "model/change_report.hpp"

namespace tocuda {

struct DriverSections {
    std::string driver{};  // "570.86.15 (CUDA 12.8)"
    std::vector<GatheredSection> sections{};
};

std::vector<DriverSections> by_driver(const std::vector<GatheredSection>& sections);

// Compares each driver with the previous one.
std::vector<DriverStep> driver_steps(const RowNames& names, const std::vector<GatheredSection>& sections,
                                     const ComparisonRules& rules = {}, const AssumedNoise& assumed = {});

}  // namespace tocuda
