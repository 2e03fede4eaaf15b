// tocuda, Apache-2.0.
// Reduces many rows to one verdict for each claim and the totals of a run. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/row.hpp"

namespace tocuda {

struct ClaimSummary {
    std::string id{};
    Verdict verdict = Verdict::skipped;
    Verdict expected = Verdict::skipped;
    int unexpected = 0;   // rows
    std::size_t row = 0;  // which of the rows tells most about the verdict
    std::string because{};
};

struct Tally {
    std::vector<ClaimSummary> claims;  // in the order of their ids
    std::map<Verdict, int> totals;     // each claim once
    int unexpected = 0;                // rows, not claims
};

// Returns the verdict on which the deciding ones agree, `partial` if they differ; if none decides, the most severe of
// the others.
Verdict common_word(const std::vector<Verdict>& verdicts);

// What was seen for a claim is what its most telling row says: an unexpected one, otherwise one with the claim's
// verdict, the shortest among equals. Where the decided rows differ, it says both.
Tally tally(const std::vector<Row>& rows);

}  // namespace tocuda
