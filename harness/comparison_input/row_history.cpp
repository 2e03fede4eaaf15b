// tocuda, Apache-2.0.
#include "comparison_input/row_history.hpp"

#include <algorithm>

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

// Every field that attribution checks, except the protocol: how much is measured does not affect what is measured.
std::string text_of_conditions(const RunLine& run, const GpuIdentity& identity) {
    std::string text;
    for (const auto& [field, value] : fields_of(run))
        if (part_of(field) != "protocol") text += field + "=" + value + "\n";
    if (const auto* gpu = find_gpu(run, identity))
        for (const auto& [field, value] : fields_of(*gpu)) text += field + "=" + value + "\n";
    return text;
}

}  // namespace

RowHistories::RowHistories(const RowNames& row_names, const RowCells& row_cells,
                           std::span<const CellSource> cell_sources)
    : names(row_names), cells(row_cells), sources(cell_sources) {
    for (const auto& source : sources)
        if (source.side != Side::history) on_sides.insert(source.starts->names.begin(), source.starts->names.end());
    for (const auto& one : cells)
        if (!one.first.gpu.empty()) alike.emplace(without_gpu(one.first), &one);
}

const CellSource& RowHistories::source_of(Side side) const {
    return *std::find_if(sources.begin(), sources.end(), [&](const CellSource& source) { return source.side == side; });
}

const RowHistories::Kind& RowHistories::kind_of(Side side, const PlacedTime& time) {
    const auto [found, is_new] = kinds.try_emplace({side, time.section, time.time->gpu});
    if (is_new) {
        const auto& run = source_of(side).sections[time.section].run;
        const auto& gpu = names.gpu(time.time->gpu);
        found->second = {
            known_conditions.try_emplace(text_of_conditions(run, gpu), known_conditions.size()).first->second,
            known_cohorts.try_emplace(cohort_of(run, gpu), known_cohorts.size()).first->second};
    }
    return found->second;
}

// Returns a group for each set of conditions with at least two starts; with `wanted`, only those of these cohorts.
RowHistories::Groups RowHistories::groups_of(const RowCell& cell, Side side, const std::set<std::size_t>* wanted) {
    const auto& times = cell.of(side);
    Groups groups;
    if (times.empty()) return groups;
    const auto& source = source_of(side);
    std::vector<std::pair<std::size_t, std::vector<PlacedTime>>> by_conditions;
    for (const auto& time : times) {
        if (!wanted && on_sides.contains(source.starts->names[time.start])) continue;
        const auto& kind = kind_of(side, time);
        if (wanted && !wanted->contains(kind.cohort)) continue;
        auto found = std::find_if(by_conditions.begin(), by_conditions.end(),
                                  [&](const auto& group) { return group.first == kind.conditions; });
        if (found == by_conditions.end()) found = by_conditions.insert(found, {kind.conditions, {}});
        found->second.push_back(time);
    }
    for (const auto& [under, mine] : by_conditions) {
        auto counted = count_starts(mine, names, source.starts->names);
        if (counted.starts.size() > 1) groups.push_back(std::move(counted.starts));
    }
    return groups;
}

std::set<std::size_t> RowHistories::cohorts_of(const RowCell& cell) {
    std::set<std::size_t> cohorts;
    for (const auto side : {Side::before, Side::after})
        for (const auto& time : cell.of(side)) cohorts.insert(kind_of(side, time).cohort);
    return cohorts;
}

History RowHistories::cohort_history(const RowKey& key, const RowCell& cell, History own) {
    const auto wanted = cohorts_of(cell);
    std::set<GpuIdentity> others;
    const bool had_own = !own.groups.empty();
    const auto [begin, end] = alike.equal_range(without_gpu(key));
    for (auto one = begin; one != end; ++one) {
        if (one->second->first == key) continue;
        for (const auto& source : sources) {
            auto groups = groups_of(one->second->second, source.side, &wanted);
            if (groups.empty()) continue;
            others.insert(names.gpu(one->second->second.of(source.side).front().time->gpu));
            own.groups.insert(own.groups.end(), std::make_move_iterator(groups.begin()),
                              std::make_move_iterator(groups.end()));
        }
    }
    if (others.empty()) return own;
    const auto count = std::to_string(others.size());
    const auto model = others.begin()->model + (others.size() == 1 ? "" : "s");
    own.of = had_own ? "this GPU's history and that of " + count + " more " + model
                     : "the history of " + count + " other " + model;
    return own;
}

History RowHistories::of(const RowKey& key, const RowCell& cell, int own_freedom, int needed_freedom) {
    History history{.groups = groups_of(cell, Side::history, nullptr)};
    if (!history.groups.empty()) history.of = key.gpu.empty() ? "this machine's history" : "this GPU's history";
    if (key.gpu.empty() || own_freedom + freedom_of(history.groups) >= needed_freedom) return history;
    return cohort_history(key, cell, std::move(history));
}

}  // namespace tocuda
