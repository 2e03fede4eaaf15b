// tocuda, Apache-2.0.
// Two sides and a history, to rows that can be compared, to what cannot, and to what there is to say. Pure, and the
// same to the last bit for any order of files.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gathering/gpu_pairs.hpp"
#include "gathering/row_cells.hpp"
#include "model/change_report.hpp"

namespace tocuda {

struct GatheredSides {
    std::vector<GatheredSection> before{};
    std::vector<GatheredSection> after{};
    std::vector<GatheredSection> history{};
};

// Everything but the answers. `history` loses the sections that are on a side. `on_row` is told of each row before the next is put together.
ChangeReport pair_rows(const RowNames& names, GatheredSides& sides, int needed_freedom, const std::function<void(AnsweredRow&)>& on_row = {});

// With the answers; the rows' histories are gone then, but for whose they were.
ChangeReport compare_sides(const RowNames& names, GatheredSides& sides, const ComparisonRules& rules = {});

// Claims that two sides answer otherwise, and errors that they tell in other words. What a side answers in several ways
// by itself is no change; neither is what one side could not try.
ClaimChanges claim_changes(std::span<const GatheredSection> before, std::span<const GatheredSection> after);

bool has_verdict(const ChangeReport& report, ChangeVerdict verdict);
// Something that a person has to look at: a row is slower, a claim is answered otherwise, an error told in other words.
bool has_findings(const ChangeReport& report);
bool compared_anything(const ChangeReport& report);

}  // namespace tocuda
