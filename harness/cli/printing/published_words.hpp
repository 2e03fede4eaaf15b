// tocuda, Apache-2.0.
// What numbers that others published say of the rows of a run.
#pragma once

#include <string>
#include <vector>

#include "model/published.hpp"

namespace tocuda {

// "NAME 256 MiB: 55.10 GB/s; 4 published of NVIDIA H200 by 3 sources: 54.20 GB/s to 57.60 GB/s; 87 % of its peak"
std::string held_words(const HeldRow& row);

// "beside what others published of NVIDIA H200: 1 of 4 rows unusually low"
std::string held_total(const std::vector<HeldRow>& rows);

// All of it, a line each.
std::string held_table(const std::vector<HeldRow>& rows, std::size_t columns);

}  // namespace tocuda
