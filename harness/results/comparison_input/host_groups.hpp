// tocuda, Apache-2.0.
// Hosts that have something in common: racks and waves, controls, those that one side alone has.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "comparison_input/gathering.hpp"
#include "comparison_input/gpu_pairs.hpp"
#include "comparison_input/machines.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// Blocks of hosts that have more in common than their driver: racks, or waves of a roll-out. They are the witnesses of
// a fleet then, instead of its hosts. Pure.

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

// Machines that kept their driver while others of the comparison changed theirs: what else came with time shows on
// them, too. Pure.
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

// Hosts that only one side of a fleet has, and GPUs that changed their host: neither can say what a driver changed.
// Pure.
void add_host_changes(const RowNames& names, std::span<const GatheredSection> before,
                      std::span<const GatheredSection> after, const GpuPairs& pairs, ChangeReport& report);

// Lists the hosts that stand apart from the others in any row.
void add_apart_hosts(ChangeReport& report);

// Starts of the driver that a host had on the old side are no new ones if it has another now. Returns these hosts.
std::vector<std::string> drop_old_driver(std::span<const GatheredSection> before, std::vector<GatheredSection>& after);

}  // namespace tocuda
