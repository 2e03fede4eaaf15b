// tocuda, Apache-2.0.
#include "comparison_input/controls.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "comparison_input/run_fields.hpp"

namespace tocuda {
namespace {

struct MeasuredSide {
    std::set<std::string> drivers{};
    std::set<std::string> times{};
    std::set<Fields> others{};                      // what else is recorded of it
    std::map<std::uint32_t, std::string> starts{};  // when each began
};

Fields all_fields(const RunLine& run) {
    auto fields = fields_of(run);
    for (const auto& gpu : run.gpus)
        for (const auto& [field, value] : fields_of(gpu)) fields.emplace(gpu.uuid.value_or("") + " " + field, value);
    return fields;
}

struct Measured {
    MeasuredSide before{};
    MeasuredSide after{};

    bool on_both() const { return !before.times.empty() && !after.times.empty(); }
    bool kept() const { return before.drivers == after.drivers; }
    bool is_unchanged() const { return before.others == after.others; }
    bool was_rolled_back() const {
        return *before.times.begin() < *after.times.begin() && *before.times.rbegin() > *after.times.rbegin();
    }
};

bool alternate(const MeasuredSide& before, const MeasuredSide& after) {
    std::vector<std::pair<std::string, int>> starts;
    for (const auto& [start, time] : before.starts) starts.emplace_back(time, 0);
    for (const auto& [start, time] : after.starts) starts.emplace_back(time, 1);
    std::ranges::sort(starts);
    constexpr int most_alike = 2, fewest_turns = 4;
    int turns = 0, alike = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const bool is_turn = i == 0 || starts[i].second != starts[i - 1].second;
        turns += is_turn;
        alike = is_turn ? 1 : alike + 1;
        if (alike > most_alike) return false;
    }
    return turns >= fewest_turns;
}

}  // namespace

Controls::Controls(std::span<const CellSource> sides, const Machines& machines) {
    std::map<std::uint32_t, Measured> measured;
    for (const auto& source : sides) {
        if (source.side == Side::history) continue;
        for (std::uint32_t section = 0; section < source.sections.size(); ++section) {
            const auto& run = source.sections[section].run;
            auto& machine = measured[machines.of(source.side, section)];
            auto& side = source.side == Side::before ? machine.before : machine.after;
            side.drivers.insert(driver_text(run.driver));
            side.times.insert(run.time);
            side.others.insert(all_fields(run));
            auto& began = side.starts.try_emplace(source.starts->of_section[section], run.time).first->second;
            began = std::min(began, run.time);
        }
    }
    std::erase_if(measured, [](const auto& one) { return !one.second.on_both(); });
    for (const auto& [machine, of] : measured) {
        (of.kept() ? kept : compared).insert(machine);
        if (alternate(of.before, of.after)) alternating.insert(machine);
    }
    if (compared.empty()) {  // no driver changed
        std::swap(kept, compared);
        changed = false;
        return;
    }
    for (const auto& [machine, of] : measured)
        if (of.kept() && !of.is_unchanged()) left_out.insert(machine), kept.erase(machine);
    back = std::ranges::all_of(compared, [&](auto machine) { return measured.at(machine).was_rolled_back(); });
    for (const auto& source : sides)
        for (std::uint32_t section = 0; source.side == Side::before && section < source.sections.size(); ++section) {
            const auto found = measured.find(machines.of(source.side, section));
            if (found != measured.end() && source.sections[section].run.time > *found->second.after.times.rbegin())
                late.insert(section);
        }
}

}  // namespace tocuda
