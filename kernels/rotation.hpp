// tocuda, Apache-2.0.
// Cold caches: successive operations rotate through several places, so that the L2 cache contains data of other places
// only. Before a place is used again, four times the cache size has been touched.
#pragma once

#include <string>

#include "kernels/kernel.hpp"
#include "measurement/block.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/parameter.hpp"

namespace tocuda {

inline constexpr std::size_t place_granule = 256;                      // alignment of places
inline constexpr std::size_t least_cold_bytes = std::size_t{1} << 20;  // smaller ones would need thousands of places
inline constexpr std::size_t caches_between = 4;

inline bool is_cold(const Parameters& set) { return set.contains("cache") && text(set, "cache") == "cold"; }

// Returns the number of places for an operation that touches this much memory.
inline std::size_t places_of(const Parameters& set, const GpuFacts& gpu, std::size_t footprint_bytes) {
    if (!is_cold(set) || footprint_bytes == 0) return 1;
    return 1 + parts(caches_between * gpu.l2_bytes, footprint_bytes);
}

// Counts through the places in order and starts again at the first.
class Turn {
public:
    explicit Turn(std::size_t of_places) : places(of_places) {}
    std::size_t take() {
        const auto taken = next;
        next = next + 1 < places ? next + 1 : 0;
        return taken;
    }

private:
    std::size_t places;
    std::size_t next = 0;
};

inline std::string why_not_cold(const Parameters& set, const GpuFacts& gpu) {
    if (!set.contains("cache") || !is_cold(set)) return "";
    if (gpu.l2_bytes == 0) return "cache=cold needs the size of the L2 cache; the runtime does not report it";
    if (bytes_of(set) >= least_cold_bytes && bytes_of(set) % place_granule == 0) return "";
    return "with cache=cold, bytes must be at least " + std::to_string(least_cold_bytes) + " and a multiple of " +
           std::to_string(place_granule) + ", not " + std::to_string(bytes_of(set));
}

}  // namespace tocuda
