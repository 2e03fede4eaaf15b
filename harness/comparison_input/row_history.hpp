// tocuda, Apache-2.0.
// How rows varied when nothing changed: other starts on the same GPU and, if these are too few, starts on other GPUs of
// its cohort. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "comparison_input/row_cells.hpp"

namespace tocuda {

// Keeps references to the sources (both sides and the history) and to the cells.
class RowHistories {
public:
    RowHistories(const RowNames& names, const RowCells& cells, std::span<const CellSource> sources);

    // `own_freedom` is the degrees of freedom of the row's two sides alone.
    History of(const RowKey& key, const RowCell& cell, int own_freedom, int needed_freedom);

private:
    using Groups = std::vector<std::vector<Start>>;
    // The conditions and the cohort of a section's GPU, as numbers.
    struct Kind {
        std::size_t conditions = 0;
        std::size_t cohort = 0;
    };

    const CellSource& source_of(Side side) const;
    const Kind& kind_of(Side side, const PlacedTime& time);
    Groups groups_of(const RowCell& cell, Side side, const std::set<std::size_t>* wanted);
    std::set<std::size_t> cohorts_of(const RowCell& cell);
    History cohort_history(const RowKey& key, const RowCell& cell, History own);

    const RowNames& names;
    const RowCells& cells;
    std::span<const CellSource> sources;
    std::set<std::string> on_sides{};  // starts
    std::map<std::string, std::size_t> known_conditions{};
    std::map<Cohort, std::size_t> known_cohorts{};
    std::map<std::tuple<Side, std::uint32_t, std::uint32_t>, Kind> kinds{};  // by section and GPU
    std::multimap<RowKey, const RowCells::value_type*> alike{};              // by everything but the GPU
};

}  // namespace tocuda
