// tocuda, Apache-2.0.
#include "model/tally.hpp"

#include <algorithm>

namespace tocuda {

Verdict common_word(const std::vector<Verdict>& verdicts) {
    std::vector<Verdict> decided;
    std::copy_if(verdicts.begin(), verdicts.end(), std::back_inserter(decided), is_decided);
    if (!decided.empty()) {
        const bool agree = std::all_of(decided.begin(), decided.end(), [&](Verdict v) { return v == decided.front(); });
        return agree ? decided.front() : Verdict::partial;
    }
    for (const auto word : {Verdict::broken, Verdict::inconclusive})
        if (std::find(verdicts.begin(), verdicts.end(), word) != verdicts.end()) return word;
    return Verdict::skipped;
}

Tally tally(const std::vector<Row>& rows) {
    struct Seen {
        std::vector<Verdict> verdicts;
        std::vector<Verdict> expected;
        int unexpected = 0;
    };
    std::map<std::string, Seen> seen;
    Tally result;
    for (const auto& row : rows) {
        bool unexpected = false;
        for (const auto& claim : row.claims) {
            auto& words = seen[claim.id];
            words.verdicts.push_back(claim.verdict);
            words.expected.push_back(claim.expected);
            words.unexpected += claim.unexpected() ? 1 : 0;
            unexpected = unexpected || claim.unexpected();
        }
        result.unexpected += unexpected ? 1 : 0;
    }
    for (const auto& [id, words] : seen) {
        result.claims.push_back({id, common_word(words.verdicts), common_word(words.expected), words.unexpected});
        ++result.totals[result.claims.back().verdict];
    }
    return result;
}

}  // namespace tocuda
