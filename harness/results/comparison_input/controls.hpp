// tocuda, Apache-2.0.
// Machines that kept their driver while others of the comparison changed theirs: what else came with time shows on
// them, too. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "comparison_input/machines.hpp"

namespace tocuda {

class Controls {
public:
    Controls(std::span<const CellSource> sides, const Machines& machines);

    bool has(std::uint32_t machine) const { return kept.contains(machine); }  // never if no other changed its driver
    // Whether it kept its driver, but something else changed on it: it says nothing of either.
    bool is_left_out(std::uint32_t machine) const { return left_out.contains(machine); }
    std::size_t count_left_out() const { return left_out.size(); }
    // Whether what the machine records tells the sides apart: it is on both, and no control. All do if none is on both.
    bool is_compared(std::uint32_t machine) const { return compared.empty() || compared.contains(machine); }
    // Whether each of those that changed their driver was measured with the old one again, after the new one.
    bool rolled_back() const { return back; }
    bool driver_changed() const { return changed; }  // on any machine that is on both sides
    // Whether this section of the old side is of after the new one on its machine.
    bool is_late(std::uint32_t section) const { return late.contains(section); }
    // Whether the machine's starts of the two sides alternate in time, with no more than two of a side one after
    // another.
    bool alternates(std::uint32_t machine) const { return alternating.contains(machine); }

private:
    std::set<std::uint32_t> kept{};
    std::set<std::uint32_t> left_out{};
    std::set<std::uint32_t> compared{};
    std::set<std::uint32_t> late{};
    std::set<std::uint32_t> alternating{};
    bool back = false;
    bool changed = true;
};

}  // namespace tocuda
