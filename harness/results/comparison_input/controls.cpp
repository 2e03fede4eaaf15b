// tocuda, Apache-2.0.
#include "comparison_input/controls.hpp"

#include <algorithm>

#include "comparison_input/run_fields.hpp"

namespace tocuda {
namespace {

struct MeasuredSide {
    std::set<std::string> drivers{};
    std::set<std::string> times{};
    std::set<Fields> others{};  // what else is recorded of it
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
        }
    }
    std::erase_if(measured, [](const auto& one) { return !one.second.on_both(); });
    for (const auto& [machine, of] : measured) (of.kept() ? kept : compared).insert(machine);
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
