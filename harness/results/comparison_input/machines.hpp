// tocuda, Apache-2.0.
// Tells which sections were measured on one machine: those with a host name, a boot or a real GPU in common. Too few
// machines are better than too many, because each counts as a witness. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "comparison_input/row_cells.hpp"

namespace tocuda {

// The name of the host that a section was measured on; empty: not recorded.
std::string host_of(const RunLine& run);

class Machines {
public:
    explicit Machines(std::span<const CellSource> sources);

    std::uint32_t of(Side side, std::uint32_t section) const;
    const std::string& host(std::uint32_t machine) const { return hosts[machine]; }  // empty: not recorded
    std::size_t count(Side side) const;

private:
    std::uint32_t root_of(std::uint32_t section);
    void join(std::uint32_t section, const std::string& trait, std::map<std::string, std::uint32_t>& known);

    std::vector<std::uint32_t> parents{};  // of each section, all sides one after another; a root is its own
    std::vector<std::string> hosts{};      // by root
    std::map<Side, std::pair<std::uint32_t, std::uint32_t>> places{};  // of each side's sections: first, one past last
};

}  // namespace tocuda
