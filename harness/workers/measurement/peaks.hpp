// tocuda, Apache-2.0.
// The peak bandwidths of the current GPU, with their sources. Unknown if neither the driver nor the system reports
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "telemetry/gauge.hpp"

namespace tocuda {

// The GB10's memory (compute capability 12.1): what the driver calls its clock are its transfers per second.
constexpr bool reported_in_transfers(int compute_capability) { return compute_capability == 121; }
// What the memory moves at most, from what the driver reports: both edges of the clock, times the width of the bus.
constexpr double memory_bytes_per_second(int kilohertz, int bits, int compute_capability) {
    return (reported_in_transfers(compute_capability) ? 1e3 : 2e3) * kilohertz * bits / 8;
}

Peak memory_peak();
// The PCIe link's maximum, one way. If the sources disagree, the largest, with a doubt: in a virtual machine some of
// them are wrong. A GPU that uses the host's page tables hangs on NVLink instead, whose speed nothing reports.
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

// Says from NVLink's counters whether copies between GPUs went over it.

// The counters of each sender before and after so many bytes were sent by all of them. Empty if the bytes are too few
// to tell.
std::string nvlink_words(const std::vector<NvLinkSent>& before, const std::vector<NvLinkSent>& after,
                         std::int64_t bytes);

}  // namespace tocuda
