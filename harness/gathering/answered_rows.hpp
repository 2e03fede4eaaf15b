// tocuda, Apache-2.0.
// Two sides and a history, to what there is to say. Pure.
#pragma once

#include "gathering/paired_rows.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// The rows' histories are gone then, but for whose they were.
ChangeReport compare_sides(const RowNames& names, GatheredSides& sides, const ComparisonRules& rules = {});

bool has_verdict(const ChangeReport& report, ChangeVerdict verdict);
// Something that a person has to look at: a row is slower, a claim is answered otherwise, an error told in other words.
bool has_findings(const ChangeReport& report);
bool compared_anything(const ChangeReport& report);

}  // namespace tocuda
