// tocuda, Apache-2.0.
// Where the pages of managed memory are, as far as the runtime's calls tell, and what was advised for them. What the
// host touches by itself is not seen: simulation.h has a function to tell of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace tocuda::stand_in {

class Managed {
public:
    static constexpr int host = -1;
    static constexpr std::size_t block = std::size_t{64} << 10;  // moved as one

    explicit Managed(std::size_t bytes) : places_((bytes + block - 1) / block, 0) {}

    struct Brought {
        std::size_t fresh = 0;  // bytes that had no place yet
        std::size_t moved = 0;  // bytes that lay elsewhere
    };
    // Makes the range lie there: at a device, or at the host. Where it is mostly read, what lay elsewhere stays there
    // too.
    Brought bring(std::size_t offset, std::size_t bytes, int place);
    bool lies_at(std::size_t offset, std::size_t bytes, int place) const;

    // Advice holds for the whole allocation.
    bool read_mostly = false;
    std::optional<int> preferred;
    std::set<int> accessed_by;
    std::optional<int> prefetched_to;

private:
    // A bit for each place: the host's is the lowest.
    static std::uint32_t bit(int place) { return std::uint32_t{1} << static_cast<unsigned>(place + 1); }

    std::vector<std::uint32_t> places_;  // of each block; 0: it has none yet
};

}  // namespace tocuda::stand_in
