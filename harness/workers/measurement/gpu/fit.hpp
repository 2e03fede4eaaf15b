// tocuda, Apache-2.0.
// Decides whether a parameter set fits into the free memory of the host and the GPU.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measurement/room.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

// Empty with real GPUs. `free_host` counts as enough if unknown.
std::string why_not_simulated(std::size_t device_bytes, const std::optional<std::size_t>& free_host);

using Needed = std::function<Room(const Parameters&)>;

// Compares with what was free before the benchmark allocated anything.
class Fit {
public:
    explicit Fit(Needed needed);
    std::string why_skipped(const Parameters& set) const;
    // The same for memory of other GPUs too. Simulated ones keep theirs in the host's, and leave most of it to others.
    std::string why_not_simulated(std::size_t device_bytes) const;
    std::size_t most_bytes(const std::vector<Parameters>& sets) const;  // of the sets that fit

private:
    Needed needed_for;
    Free free;
};

}  // namespace tocuda
