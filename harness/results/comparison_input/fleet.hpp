// tocuda, Apache-2.0.
// Compares every GPU of a fleet with its peers.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "comparison_input/gathering.hpp"
#include "comparison_input/run_fields.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// What is recorded about a GPU besides its times, and where it differs from what most of its peers have in common.
// Pure.
struct FleetTraits {
    Fields fields{};       // as text, for comparison
    double clock_mhz = 0;  // of the SMs under load; 0: unknown

    void add_run(const RunLine& run, const GpuIdentity& gpu);
    void add_time(const ProcessTime& time, const RowNames& names);  // whether the process counts or not
    void finish();

private:
    int link_width = 0;  // the minimum under load; 0: unknown
    int link_generation = 0;
    std::vector<double> clocks{};
    std::set<std::uint32_t> seen_flags{};
};

// Returns "link width 8 instead of 16, SM clock 1700 MHz instead of 1980": fields on which more than half of the peers
// agree on another value.
std::string differences(const FleetTraits& mine, const std::vector<const FleetTraits*>& peers);

// Compares every GPU of a fleet with its peers, row by row. Pure, and independent of the order of files.
FleetReport judge_fleet(const RowNames& names, std::span<const GatheredSection> sections);

}  // namespace tocuda
