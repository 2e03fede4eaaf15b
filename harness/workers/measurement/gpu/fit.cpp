// tocuda, Apache-2.0.
// Reads the free memory once, before anything is allocated.
#include "measurement/gpu/fit.hpp"

#include <utility>

#include "measurement/cuda_objects.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"

namespace tocuda {
Fit::Fit(Needed needed)
    : needed_for(std::move(needed)), free{.host_bytes = free_host_bytes(), .device_bytes = free_device_bytes()} {}

// A simulated GPU's memory is host memory.
std::string Fit::why_skipped(const Parameters& set) const {
    auto needed = needed_for(set);
    if (virtual_seconds()) needed.host_bytes = allocated_bytes({needed.host_bytes, needed.device_bytes});
    return why_too_large(needed, free);
}

std::string why_not_simulated(std::size_t device_bytes, const std::optional<std::size_t>& free_host) {
    if (!virtual_seconds() || !free_host || device_bytes <= *free_host / 4) return "";
    return std::to_string(device_bytes) +
           " bytes are more than a quarter of the host's free memory, where simulated GPUs keep theirs";
}

std::string Fit::why_not_simulated(std::size_t device_bytes) const {
    return tocuda::why_not_simulated(device_bytes, free.host_bytes);
}

std::size_t Fit::most_bytes(const std::vector<Parameters>& sets) const {
    return largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); });
}

}  // namespace tocuda
