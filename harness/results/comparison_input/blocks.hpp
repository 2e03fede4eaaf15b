// tocuda, Apache-2.0.
// Blocks of hosts that have more in common than their driver: racks, or waves of a roll-out. They are the witnesses of
// a fleet then, instead of its hosts. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "comparison_input/machines.hpp"

namespace tocuda {

// What a run line says of `field`: a label (`bench --label rack=r12`), or a field of its machine ("kernel").
std::optional<std::string> block_of(const RunLine& run, const std::string& field);

// Why these sections have no blocks of this field; empty if one has.
std::string why_no_blocks(std::span<const GatheredSection> before, std::span<const GatheredSection> after,
                          const std::string& field);

class Blocks {
public:
    // Without a field there are none. A machine with several values joins them to one block: too few blocks are better
    // than too many.
    Blocks(std::span<const CellSource> sides, const Machines& machines, const std::string& field);

    const std::string& of(std::uint32_t machine) const;  // empty: there are none

private:
    std::map<std::uint32_t, std::string> blocks{};
};

}  // namespace tocuda
