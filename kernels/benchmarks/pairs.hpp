// tocuda, Apache-2.0.
// What the benchmarks of pairs of GPUs share: their parameters `from` and `to`, and whether a set fits.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "kernels/benchmarks/peer_access.hpp"
#include "measurement/device_memory.hpp"
#include "measurement/free_host_memory.hpp"
#include "measurement/parameter.hpp"
#include "measurement/room.hpp"
#include "runtime_calls/host_work.hpp"

namespace tocuda {

// GPUs by their number in the process. `bench` leaves out those that the machine does not have.
inline Values gpu_numbers() {
    Values numbers;
    for (std::int64_t gpu = 0; gpu < 16; ++gpu) numbers.emplace_back(gpu);
    return numbers;
}

inline std::string why_no_pair(const Parameters& set, int count) {
    if (count < 2) return "2 GPUs are needed; there is " + std::to_string(count);
    for (const char* name : {"from", "to"})
        if (set.contains(name))
            if (auto why = why_not_between(set, name, 0, count - 1); !why.empty()) return why;
    const bool both = set.contains("from") && set.contains("to");
    return both && whole(set, "from") == whole(set, "to") ? "a GPU is no peer of itself" : "";
}

// In both directions, because either GPU may access the other.
inline bool have_access(int one, int other) {
    const bool there = enabled_peer_access(one, other);
    return enabled_peer_access(other, one) && there;
}

// `needed` is by GPU. Simulated GPUs keep their memory in the host's.
inline std::string why_no_room(const std::map<int, std::size_t>& needed) {
    std::size_t all = 0;
    for (const auto& [gpu, bytes] : needed) {
        all += bytes;
        const OnDevice current(gpu);
        if (auto why = why_no_room(bytes, free_device_bytes(), "of the memory of GPU " + std::to_string(gpu));
            !why.empty())
            return why;
    }
    const auto free = gpus_are_simulated() ? free_host_bytes() : std::nullopt;
    if (!free || all <= *free / 4) return "";
    return std::to_string(all) + " bytes of simulated GPUs are more than a quarter of the host's free memory";
}

}  // namespace tocuda
