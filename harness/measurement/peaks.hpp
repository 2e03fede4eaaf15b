// tocuda, Apache-2.0.
// What the current GPU could move at most, and where that is known from. Not known where neither the driver nor the
// system tells.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

// Its memory: both edges of the clock, times the width of the bus.
Peak memory_peak();
// Its PCIe link at its best, one way. Where those who know it disagree, the largest, with a doubt: in a virtual machine
// some of them are wrong.
Peak link_peak();
// True where so many bytes fit into the L2 cache, so that the memory's peak says nothing about them.
bool fits_in_cache(std::size_t bytes);

// What somebody says that a link can be at most: "the most of GPU and slot, by NVML".
struct LinkWord {
    int generation = 0;
    int width = 0;
    std::string source{};
};
Peak largest_link_peak(const std::vector<LinkWord>& words);
inline constexpr const char* link_maximum_disputed = "link_maximum_disputed";

// One way, of so many lanes, after the encoding of their generation; 0 for a generation that is not known.
double link_bytes_per_second(int generation, int width);
// "32.0 GT/s PCIe" is 5.
std::optional<int> generation_of(const std::string& link_speed);

}  // namespace tocuda
