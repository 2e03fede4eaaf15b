// tocuda, Apache-2.0.
// A history taken apart: by driver, in the order in which each was first seen, and row by row in the order of sessions. Pure.
#pragma once

#include <vector>

#include "gathering/gathering.hpp"
#include "model/history_report.hpp"

namespace tocuda {

struct DriverSections {
    std::string driver{};  // "570.86.15 (CUDA 12.8)"
    std::vector<GatheredSection> sections{};
};

std::vector<DriverSections> by_driver(const std::vector<GatheredSection>& sections);

// What changed in each row's long run goes into the report.
void find_steps(const RowNames& names, const std::vector<GatheredSection>& sections, HistoryReport& report);

}  // namespace tocuda
