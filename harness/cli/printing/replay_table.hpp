// tocuda, Apache-2.0.
// What `replay` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/replayed.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

struct ReplayCapacity {
    std::string name{};  // as asked for: "L4", "24GiB"
    std::int64_t bytes = 0;
    std::int64_t outside_bytes = 0;  // an estimate that was subtracted
};

std::string setting_name(const std::string& settings);  // of PYTORCH_ALLOC_CONF; "default" if it is empty

// Where what is allocated comes from: "512 MiB model.py:33" of the largest lines, then what is not among them.
std::vector<std::string> live_parts(const ReplayPeak& peak, std::int64_t allocated);

// Which setting to try; empty if none needs less memory.
std::string replay_advice(const Replayed& replayed);

// Those that its rows have, by their sizes.
std::vector<ReplayCapacity> capacities_of(const Replayed& replayed);

std::string replay_table(const Replayed& replayed, const std::vector<ReplayCapacity>& capacities, const Paper& paper);

}  // namespace tocuda
