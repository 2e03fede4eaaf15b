// tocuda, Apache-2.0.
// Pairs the rows of two sides, adds a history and compares them; lists the rows that have no counterpart. Pure, and bit
// for bit independent of the order of files.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison_input/gpu_pairs.hpp"
#include "comparison_input/row_cells.hpp"
#include "model/change_report.hpp"

namespace tocuda {

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

}  // namespace tocuda
