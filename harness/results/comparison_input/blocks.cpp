// tocuda, Apache-2.0.
#include "comparison_input/blocks.hpp"

#include <algorithm>
#include <set>

#include "comparison_input/run_fields.hpp"

namespace tocuda {
namespace {

using BlockValues = std::set<std::string>;

bool share_one(const BlockValues& some, const BlockValues& others) {
    return std::ranges::any_of(some, [&](const auto& value) { return others.contains(value); });
}

// The values of each machine, where those that one machine has in common with another are united.
std::map<std::uint32_t, BlockValues> united(std::map<std::uint32_t, BlockValues> values) {
    for (bool again = true; again;) {
        again = false;
        for (auto& [machine, mine] : values)
            for (auto& [other, theirs] : values) {
                if (!share_one(mine, theirs) || mine == theirs) continue;
                mine.insert(theirs.begin(), theirs.end());
                theirs = mine;
                again = true;
            }
    }
    return values;
}

}  // namespace

std::optional<std::string> block_of(const RunLine& run, const std::string& field) {
    if (const auto label = run.labels.find(field); label != run.labels.end()) return label->second;
    const auto fields = fields_of(run);
    const auto found = fields.find("machine." + field);
    return found == fields.end() ? std::nullopt : std::optional(found->second);
}

std::string why_no_blocks(std::span<const GatheredSection> before, std::span<const GatheredSection> after,
                          const std::string& field) {
    const auto has = [&](const GatheredSection& one) { return block_of(one.run, field).has_value(); };
    if (std::ranges::any_of(before, has) || std::ranges::any_of(after, has)) return "";
    return "--block " + field + ": no run line has such a label (bench --label) or field of the machine";
}

Blocks::Blocks(std::span<const CellSource> sides, const Machines& machines, const std::string& field) {
    if (field.empty()) return;
    std::map<std::uint32_t, BlockValues> values;
    for (const auto& source : sides) {
        if (source.side == Side::history) continue;
        for (std::uint32_t section = 0; section < source.sections.size(); ++section) {
            auto& mine = values[machines.of(source.side, section)];
            if (auto value = block_of(source.sections[section].run, field)) mine.insert(*std::move(value));
        }
    }
    for (auto& [machine, mine] : values)
        if (mine.empty()) mine.insert("no " + field);
    for (const auto& [machine, all] : united(std::move(values)))
        for (const auto& value : all) blocks[machine] += (blocks[machine].empty() ? "" : ", ") + value;
}

const std::string& Blocks::of(std::uint32_t machine) const {
    static const std::string none;
    const auto found = blocks.find(machine);
    return found == blocks.end() ? none : found->second;
}

}  // namespace tocuda
