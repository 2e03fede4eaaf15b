// tocuda, Apache-2.0.
// Reduces many rows to one verdict for each claim and the totals of a run. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/row.hpp"

namespace tocuda {

struct ClaimSummary {
    std::string id;
    Verdict verdict;
    Verdict expected;
    int unexpected = 0;  // rows
};

struct Tally {
    std::vector<ClaimSummary> claims;  // in the order of their ids
    std::map<Verdict, int> totals;     // each claim once
    int unexpected = 0;                // rows, not claims
};

// Returns the verdict on which the deciding ones agree, `partial` if they differ; if none decides, the most severe of
// the others.
Verdict common_word(const std::vector<Verdict>& verdicts);

Tally tally(const std::vector<Row>& rows);

}  // namespace tocuda
