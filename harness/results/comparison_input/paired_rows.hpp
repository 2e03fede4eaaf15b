// tocuda, Apache-2.0.
// Pairs the rows of two sides, or of two builds round by round; says which have no partner.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comparison_input/gpu_pairs.hpp"
#include "comparison_input/row_cells.hpp"
#include "comparison_rules/paired_comparison.hpp"
#include "model/change_report.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// Pairs the rows of two sides, adds a history and compares them; lists the rows that have no counterpart. Pure, and bit
// for bit independent of the order of files.
struct GatheredSides {
    std::vector<GatheredSection> before{};
    std::vector<GatheredSection> after{};
    std::vector<GatheredSection> history{};
    std::string block{};  // the field or label whose values are the witnesses of a fleet; empty: its hosts are
    bool against_recorded = false;  // the old side says what is normal
};

// Does everything except answering. Removes the sides' sections from `history`. Calls `on_row` for each row before the
// next one is built. What several machines measured is one row, followed by one for each of them (`is_part`) if they
// are too few to be witnesses, and so is what several GPUs of a machine measured.
ChangeReport pair_rows(const RowNames& names, GatheredSides& sides, int needed_freedom,
                       const std::function<void(AnsweredRow&)>& on_row = {});

// The noise of starts that is taken as known for a benchmark, if any.
using AssumedNoise = std::function<std::optional<double>(const std::string& benchmark)>;

// Includes the answers; afterwards each row's history is empty except for its description. Of single GPUs and hosts
// among several, the rows are left that surely changed otherwise than all together.
ChangeReport compare_sides(const RowNames& names, GatheredSides& sides, const ComparisonRules& rules = {},
                           const AssumedNoise& assumed = {});

// Finds claims whose verdict and errors whose text differ between two sides. What varies within a side, or what one
// side could not test, is not a change.
ClaimChanges claim_changes(std::span<const GatheredSection> before, std::span<const GatheredSection> after);

bool has_verdict(const ChangeReport& report, ChangeVerdict verdict);
// Whether anything needs attention for sure: a slower row, a host that changed unlike the rest, a
// changed verdict, or a changed error text.
bool has_findings(const ChangeReport& report);
bool compared_anything(const ChangeReport& report);

// Rows that are on one side only, and why.

inline std::string on_one_side(const std::string& side) { return "on the " + side + " side only"; }

// Near matches are never compared, only reported.
class UnpairedRows {
public:
    explicit UnpairedRows(const RowCells& cells);

    // Returns whether the row has no counterpart, and then records it.
    bool take(const RowKey& key, const RowCell& cell, const CountedStarts& before, const CountedStarts& after);
    std::vector<Unpaired> said() const;

private:
    std::string why(const RowKey& key, Side has) const;
    void add(const std::string& why, const RowKey& key, Side has);

    using Namesakes = std::vector<std::pair<const RowKey*, const RowCell*>>;
    std::map<std::tuple<std::string, std::string>, Namesakes> namesakes{};  // by benchmark and parameters
    struct Found {
        Unpaired said{};
        std::map<Side, int> rows{};
    };
    std::map<std::string, Found> found{};  // by reason
};

// Takes back answers that starts cannot give because they are not independent. Pure.

// The same start cannot differ between the sides. `same_starts` are sorted.
void withhold_from_same_starts(AnsweredRow& one, const std::vector<std::string>& same_starts);

// Nothing tells the starts of imported files apart whose host is not known: they may be of several.
void withhold_without_host(AnsweredRow& one, const ChangeReport& report);

// More starts without noise would repeat the same times.
void say_what_lacks_noise(ChangeReport& report);

// Pairs what two builds measured of one row in turns, round by round. Pure.

// Uses only rounds in which both sides have a process that counts. A wrong result, or a status other than ok, on either
// side makes the row invalid.
PairedRow pair_rounds(std::span<const MeasurementRow* const> before, std::span<const MeasurementRow* const> after);

}  // namespace tocuda
