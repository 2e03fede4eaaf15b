// tocuda, Apache-2.0.
// How rows varied where nothing was changed: starts of other times on the same GPU, and, where these are too few, on other GPUs of its cohort. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "gathering/row_cells.hpp"

namespace tocuda {

// GPUs whose times can stand for one another's: what may differ is which piece it is, and where it stands.
struct Cohort {
    std::string model{};
    std::string driver{};
    std::string vbios{};
    std::string power_limit{};

    auto operator<=>(const Cohort&) const = default;
};

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu);

// The sources and cells are kept by reference: those of both sides and of the history.
class RowHistories {
public:
    RowHistories(const RowNames& names, const RowCells& cells, std::span<const CellSource> sources);

    // `own_freedom`: the degrees of freedom of the row's two sides by themselves.
    History of(const RowKey& key, const RowCell& cell, int own_freedom, int needed_freedom);

private:
    using Groups = std::vector<std::vector<Start>>;

    const CellSource& source_of(Side side) const;
    std::uint32_t conditions_of(Side side, const PlacedTime& time);
    Groups groups_of(const RowCell& cell, Side side, const std::set<Cohort>* wanted);
    std::set<Cohort> cohorts_of(const RowCell& cell) const;
    History cohort_history(const RowKey& key, const RowCell& cell, History own);

    const RowNames& names;
    const RowCells& cells;
    std::span<const CellSource> sources;
    std::set<std::string> on_sides{};  // starts
    std::map<std::string, std::uint32_t> known_conditions{};
    std::map<std::tuple<Side, std::uint32_t, GpuIdentity>, std::uint32_t> conditions{};  // under which a section measured on a GPU
    std::multimap<RowKey, const RowCells::value_type*> alike{};  // by everything but the GPU
};

}  // namespace tocuda
