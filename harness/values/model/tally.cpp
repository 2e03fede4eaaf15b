// tocuda, Apache-2.0.
#include "model/tally.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace tocuda {
namespace {

struct Seen {
    const ClaimVerdict* claim;
    std::size_t row;
    Device device;
};

// Returns the row with this verdict that tells most; null if there is none.
const Seen* most_telling(const std::vector<Seen>& all, Verdict verdict) {
    const auto rank = [](const Seen& one) {
        return std::tuple(!one.claim->unexpected(), one.device != Device::real, one.claim->because.size(),
                          std::string_view(one.claim->because));
    };
    const Seen* best = nullptr;
    for (const auto& one : all)
        if (one.claim->verdict == verdict && (!best || rank(one) < rank(*best))) best = &one;
    return best;
}

ClaimSummary summary_of(const std::string& id, const std::vector<Seen>& all) {
    std::vector<Verdict> verdicts;
    std::vector<Verdict> expected;
    ClaimSummary summary{.id = id};
    std::optional<Verdict> surprise;
    for (const auto& one : all) {
        verdicts.push_back(one.claim->verdict);
        expected.push_back(one.claim->expected);
        if (!one.claim->unexpected()) continue;
        ++summary.unexpected;
        if (!surprise || one.claim->verdict == Verdict::broken) surprise = one.claim->verdict;
    }
    summary.verdict = common_word(verdicts);
    summary.expected = common_word(expected);
    const auto* best = most_telling(all, surprise.value_or(summary.verdict));
    const auto* one_way = best ? nullptr : most_telling(all, Verdict::reproduced);  // no row is partial: they differ
    if (!best) best = most_telling(all, Verdict::refuted);
    summary.row = best->row;
    summary.because = best->claim->because + (one_way ? "; but " + one_way->claim->because : "");
    return summary;
}

}  // namespace

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
    std::map<std::string, std::vector<Seen>> seen;
    Tally result;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        bool unexpected = false;
        for (const auto& claim : rows[row].claims) {
            seen[claim.id].push_back({&claim, row, rows[row].evidence.device});
            unexpected = unexpected || claim.unexpected();
        }
        result.unexpected += unexpected ? 1 : 0;
    }
    for (const auto& [id, all] : seen) {
        result.claims.push_back(summary_of(id, all));
        ++result.totals[result.claims.back().verdict];
    }
    return result;
}

}  // namespace tocuda
