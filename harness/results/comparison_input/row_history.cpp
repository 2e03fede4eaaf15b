// tocuda, Apache-2.0.
#include "comparison_input/row_history.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "comparison_input/paired_rows.hpp"
#include "comparison_rules/together.hpp"

namespace tocuda {
namespace {

RowKey without_gpu(RowKey key) {
    key.gpu = key.gpu.empty() ? "" : "any";
    key.peer = key.peer.empty() ? "" : "any";
    return key;
}

int freedom_of(const std::vector<std::vector<Start>>& groups) {
    int freedom = 0;
    for (const auto& group : groups) freedom += static_cast<int>(group.size()) - 1;
    return freedom;
}

}  // namespace

RowHistories::RowHistories(const RowNames& row_names, const RowCells& row_cells,
                           std::span<const CellSource> cell_sources, const Machines& of_sections)
    : names(row_names), cells(row_cells), sources(cell_sources), machines(of_sections) {
    for (const auto& source : sources)
        if (source.side != Side::history) on_sides.insert(source.starts->names.begin(), source.starts->names.end());
    for (const auto& one : cells)
        if (!one.first.gpu.empty()) alike.emplace(without_gpu(one.first), &one);
}

const CellSource& RowHistories::source_of(Side side) const {
    return *std::find_if(sources.begin(), sources.end(), [&](const CellSource& source) { return source.side == side; });
}

// Every field that attribution checks, except the protocol: how much is measured does not affect what is measured.
std::size_t RowHistories::conditions_of(Side side, std::uint32_t section, std::size_t set, const Gpus& gpus) {
    const auto [found, is_new] = conditions.try_emplace({side, section, set});
    if (!is_new) return found->second;
    const auto& run = source_of(side).sections[section].run;
    std::string text;
    for (const auto& [field, value] : fields_of(run))
        if (part_of(field) != "protocol") text += field + "=" + value + "\n";
    for (const auto number : gpus)
        if (const auto* gpu = find_gpu(run, names.gpu(number)))
            for (const auto& [field, value] : fields_of(*gpu)) text += field + "=" + value + "\n";
    return found->second = known_conditions.try_emplace(text, known_conditions.size()).first->second;
}

std::size_t RowHistories::cohort_of_gpu(Side side, const PlacedTime& time) {
    const auto [found, is_new] = cohorts.try_emplace({side, time.section, time.time->gpu});
    if (is_new) {
        const auto cohort = cohort_of(source_of(side).sections[time.section].run, names.gpu(time.time->gpu));
        found->second = known_cohorts.try_emplace(cohort, known_cohorts.size()).first->second;
    }
    return found->second;
}

std::uint32_t RowHistories::machine_of(const RowCell& cell) const {
    for (const auto& source : sources)
        if (const auto& times = cell.of(source.side); !times.empty())
            return machines.of(source.side, times.front().section);
    return 0;
}

// Returns a group for each set of conditions with at least two starts; with `wanted`, only those of these cohorts.
RowHistories::Groups RowHistories::groups_of(const Members& row, Side side, const std::set<std::size_t>* wanted) {
    Gpus gpus;
    for (const auto* member : row)
        for (const auto& time : member->second.of(side)) gpus.insert(time.time->gpu);
    if (gpus.empty()) return {};
    const auto set = known_sets.try_emplace(gpus, known_sets.size()).first->second;
    const auto& source = source_of(side);
    using Times = std::vector<std::vector<PlacedTime>>;  // of each GPU
    std::vector<std::pair<std::size_t, Times>> by_conditions;
    for (std::size_t gpu = 0; gpu < row.size(); ++gpu)
        for (const auto& time : row[gpu]->second.of(side)) {
            if (!wanted && on_sides.contains(source.starts->names[time.start])) continue;
            if (wanted && !wanted->contains(cohort_of_gpu(side, time))) continue;
            const auto under = conditions_of(side, time.section, set, gpus);
            auto found = std::find_if(by_conditions.begin(), by_conditions.end(),
                                      [&](const auto& group) { return group.first == under; });
            if (found == by_conditions.end()) found = by_conditions.insert(found, {under, Times(row.size())});
            found->second[gpu].push_back(time);
        }
    Groups groups;
    for (const auto& [under, times] : by_conditions) {
        Groups starts;
        std::vector<double> levels;
        for (const auto& of_gpu : times) {
            auto counted = count_starts(of_gpu, names, *source.starts);
            const auto level = level_of(counted.starts);
            if (!level) continue;
            levels.push_back(*level);
            starts.push_back(std::move(counted.starts));
        }
        if (starts.empty()) continue;
        auto group = starts.size() == 1 ? std::move(starts.front()) : together(starts, levels);
        if (group.size() > 1) groups.push_back(std::move(group));
    }
    return groups;
}

std::set<std::size_t> RowHistories::cohorts_of(const Members& row) {
    std::set<std::size_t> wanted;
    for (const auto* member : row)
        for (const auto side : {Side::before, Side::after})
            for (const auto& time : member->second.of(side)) wanted.insert(cohort_of_gpu(side, time));
    return wanted;
}

// Of all machines, for all rows of a name: these come one after another.
const std::vector<RowHistories::Lender>& RowHistories::lenders_of(const Members& row) {
    std::pair asked{without_gpu(row.front()->first), cohorts_of(row)};
    if (asked == lent) return lenders;
    std::map<std::uint32_t, Members> by_machine;
    const auto [begin, end] = alike.equal_range(asked.first);
    for (auto one = begin; one != end; ++one) by_machine[machine_of(one->second->second)].push_back(one->second);
    lenders.clear();
    for (const auto& [machine, members] : by_machine) {
        Lender lender{.machine = machine};
        for (const auto& source : sources)
            for (auto& group : groups_of(members, source.side, &asked.second))
                lender.groups.push_back(std::move(group));
        if (lender.groups.empty()) continue;
        for (const auto* member : members)
            for (const auto& times : member->second.times)
                if (!times.empty()) lender.gpus.insert(names.gpu(times.front().time->gpu));
        lenders.push_back(std::move(lender));
    }
    lent = std::move(asked);
    return lenders;
}

// Other GPUs of this machine share its starts, and tell nothing about other starts.
void RowHistories::borrow(const Members& row, History& own) {
    const auto ours = machine_of(row.front()->second);
    std::size_t gpus = 0;
    std::string model;
    for (const auto& lender : lenders_of(row)) {
        if (lender.machine == ours) continue;
        ++own.machines;
        own.borrowed += lender.groups.size();
        own.groups.insert(own.groups.end(), lender.groups.begin(), lender.groups.end());
        gpus += lender.gpus.size();
        model = lender.gpus.begin()->model;
    }
    if (gpus == 0) return;
    const auto count =
        fmt::format("{}{}{}{}", gpus, own.of.empty() ? " other " : " more ", model, gpus == 1 ? "" : "s");
    own.of = own.of.empty() ? "the history of " + count : own.of + " and that of " + count;
}

History RowHistories::of(const Members& row, int own_freedom, int needed_freedom) {
    const auto& key = row.front()->first;
    History history{.groups = groups_of(row, Side::history, nullptr)};
    history.machines = history.groups.empty() && own_freedom == 0 ? 0 : 1;
    if (!history.groups.empty())
        history.of = key.gpu.empty()  ? "this machine's history"
                     : row.size() > 1 ? "these GPUs' history"
                                      : "this GPU's history";
    if (!key.gpu.empty() && own_freedom + freedom_of(history.groups) < needed_freedom) borrow(row, history);
    return history;
}

namespace {

// The sections of all other drivers are the pair's history.
GatheredSides sides_of(const std::vector<DriverSections>& drivers, std::size_t after) {
    GatheredSides sides{drivers[after - 1].sections, drivers[after].sections, {}};
    for (std::size_t i = 0; i < drivers.size(); ++i)
        if (i + 1 != after && i != after)
            sides.history.insert(sides.history.end(), drivers[i].sections.begin(), drivers[i].sections.end());
    return sides;
}

}  // namespace

std::vector<DriverSections> by_driver(const std::vector<GatheredSection>& sections) {
    std::vector<DriverSections> drivers;
    for (const auto& section : sections) {
        const auto driver = driver_text(section.run.driver);
        auto found = std::find_if(drivers.begin(), drivers.end(),
                                  [&](const DriverSections& one) { return one.driver == driver; });
        if (found == drivers.end()) found = drivers.insert(found, {driver, {}});
        found->sections.push_back(section);
    }
    return drivers;
}

std::vector<DriverStep> driver_steps(const RowNames& names, const std::vector<GatheredSection>& sections,
                                     const ComparisonRules& rules, const AssumedNoise& assumed) {
    const auto drivers = by_driver(sections);
    std::vector<DriverStep> steps;
    for (std::size_t i = 1; i < drivers.size(); ++i) {
        auto sides = sides_of(drivers, i);
        steps.push_back({drivers[i - 1].driver, drivers[i].driver, compare_sides(names, sides, rules, assumed)});
    }
    return steps;
}

}  // namespace tocuda
