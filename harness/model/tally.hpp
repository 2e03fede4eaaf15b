// tocuda, Apache-2.0.
// Many rows to one word for each claim, and the totals of a run: pure.
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

// The common word of those that decide, `partial` where they differ; where none decides, the strongest of the others.
Verdict common_word(const std::vector<Verdict>& verdicts);

Tally tally(const std::vector<Row>& rows);

}  // namespace tocuda
