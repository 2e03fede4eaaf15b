// tocuda, Apache-2.0.
// What is recorded of a GPU beside its times, and in what it differs from what its peers have in common. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gathering/gathering.hpp"
#include "gathering/run_fields.hpp"

namespace tocuda {

struct FleetTraits {
    Fields fields{};      // as text: what is the same or is not
    double clock_mhz = 0; // of the SMs under load; 0: not known

    void add_run(const RunLine& run, const GpuIdentity& gpu);
    void add_time(const ProcessTime& time, const RowNames& names);  // one that counts, or not
    void finish();

private:
    int link_width = 0;  // the least under load; 0: not known
    int link_generation = 0;
    std::vector<double> clocks{};
    std::set<std::uint32_t> seen_flags{};
};

// "link width 8 instead of 16, SM clock 1700 MHz instead of 1980": where more than half of the peers agree on something else.
std::string differences(const FleetTraits& mine, const std::vector<const FleetTraits*>& peers);

}  // namespace tocuda
