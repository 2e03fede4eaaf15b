// tocuda, Apache-2.0.
// The peak bandwidths of the current GPU, with their sources. Unknown if neither the driver nor the system reports
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

// The memory's: both edges of the clock, times the width of the bus.
Peak memory_peak();
// The PCIe link's maximum, one way. If the sources disagree, the largest, with a doubt: in a virtual machine some of
// them are wrong.
Peak link_peak();
// Returns whether this many bytes fit into the L2 cache, so that the memory's peak does not apply to them.
bool fits_in_cache(std::size_t bytes);

// One source's report of the link's maximum; `source` is for instance "the maximum of GPU and slot, from NVML".
struct LinkWord {
    int generation = 0;
    int width = 0;
    std::string source{};
};
Peak largest_link_peak(const std::vector<LinkWord>& words);
inline constexpr const char* link_maximum_disputed = "link_maximum_disputed";

// Returns the bandwidth of one direction without the generation's encoding; 0 for an unknown generation.
double link_bytes_per_second(int generation, int width);
// Parses sysfs's link speed: "32.0 GT/s PCIe" is generation 5.
std::optional<int> generation_of(const std::string& link_speed);

}  // namespace tocuda
