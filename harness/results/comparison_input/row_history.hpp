// tocuda, Apache-2.0.
// How rows varied when nothing changed: other starts on the same GPUs and, if these are too few, starts on GPUs of
// their cohort in other machines. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "comparison_input/gathering.hpp"
#include "comparison_input/machines.hpp"
#include "comparison_input/paired_rows.hpp"
#include "comparison_input/row_cells.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// The cells of one row: of one GPU, or of several GPUs of a machine, which then count together.
using Members = std::vector<const RowCells::value_type*>;

// Keeps references to the sources (both sides and the history), the machines and the cells.
class RowHistories {
public:
    RowHistories(const RowNames& names, const RowCells& cells, std::span<const CellSource> sources,
                 const Machines& machines);

    // `own_freedom` is the degrees of freedom of the row's two sides alone.
    History of(const Members& row, int own_freedom, int needed_freedom);

private:
    using Groups = std::vector<std::vector<Start>>;
    using Gpus = std::set<std::uint32_t>;

    // What a machine has of a row.
    struct Lender {
        std::uint32_t machine = 0;
        Groups groups{};
        std::set<GpuIdentity> gpus{};
    };

    const CellSource& source_of(Side side) const;
    std::size_t conditions_of(Side side, std::uint32_t section, std::size_t set, const Gpus& gpus);
    std::size_t cohort_of_gpu(Side side, const PlacedTime& time);
    std::uint32_t machine_of(const RowCell& cell) const;
    Groups groups_of(const Members& row, Side side, const std::set<std::size_t>* wanted);
    std::set<std::size_t> cohorts_of(const Members& row);
    const std::vector<Lender>& lenders_of(const Members& row);
    void borrow(const Members& row, History& own);

    const RowNames& names;
    const RowCells& cells;
    std::span<const CellSource> sources;
    const Machines& machines;
    std::set<std::string> on_sides{};  // starts
    std::map<std::string, std::size_t> known_conditions{};
    std::map<Cohort, std::size_t> known_cohorts{};
    std::map<Gpus, std::size_t> known_sets{};
    std::map<std::tuple<Side, std::uint32_t, std::size_t>, std::size_t> conditions{};  // by section and set of GPUs
    std::map<std::tuple<Side, std::uint32_t, std::uint32_t>, std::size_t> cohorts{};   // by section and GPU
    std::multimap<RowKey, const RowCells::value_type*> alike{};                        // by everything but the GPU
    std::pair<RowKey, std::set<std::size_t>> lent{};  // the row and cohorts that `lenders` are of
    std::vector<Lender> lenders{};
};

// Splits a history by driver, in order of first appearance, and compares each with the previous one. Pure.
struct DriverSections {
    std::string driver{};  // "570.86.15 (CUDA 12.8)"
    std::vector<GatheredSection> sections{};
};

std::vector<DriverSections> by_driver(const std::vector<GatheredSection>& sections);

// Compares each driver with the previous one.
std::vector<DriverStep> driver_steps(const RowNames& names, const std::vector<GatheredSection>& sections,
                                     const ComparisonRules& rules = {}, const AssumedNoise& assumed = {});

}  // namespace tocuda
