// tocuda, Apache-2.0.
// Tests every judge on the evidence kept beside its scenario, intact and damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "json_lines/lines.hpp"
#include "worker/judging.hpp"

namespace tocuda {
namespace {

std::filesystem::path file_of(const Scenario& scenario) {
    return std::filesystem::path(TOCUDA_SCENARIOS_FOLDER) / (scenario.name + ".evidence.jsonl");
}

// Returns the rows; a line that cannot be read fails the test and is named.
std::vector<Row> recorded(const Scenario& scenario) {
    std::vector<Row> rows;
    std::ifstream file(file_of(scenario));
    EXPECT_TRUE(file) << file_of(scenario) << " is missing";
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const auto row = row_line(line);
        EXPECT_TRUE(row) << file_of(scenario) << ":" << number << ": " << row.error().what;
        if (row) rows.push_back(*row);
    }
    return rows;
}

using Verdicts = std::map<std::string, Verdict>;

Verdicts judged(const Entry& entry, const Row& row) {
    Verdicts verdicts;
    for (const auto& ruling : judge_row(entry, row)) verdicts[ruling.ruling.claim] = ruling.ruling.verdict;
    return verdicts;
}

std::string reason(const Entry& entry, const Row& row, const std::string& claim) {
    for (const auto& ruling : judge_row(entry, row))
        if (ruling.ruling.claim == claim) return ruling.ruling.because;
    return "the variant does not judge this claim";
}

// A whole number counts as a number, so neither is "another type" of the other.
std::vector<Value> other_types(const Value& value) {
    const bool numeric = std::holds_alternative<std::int64_t>(value.held) || std::holds_alternative<double>(value.held);
    std::vector<Value> others{
        Value{}, Value{true}, Value{"true"}, Value{std::int64_t{1}}, Value{1.5}, Value{Values{Value{"cpu"}}}};
    std::erase_if(others, [&](const Value& other) {
        const bool number =
            std::holds_alternative<std::int64_t>(other.held) || std::holds_alternative<double>(other.held);
        return other.held.index() == value.held.index() || (numeric && number);
    });
    return others;
}

class RecordedEvidence : public testing::TestWithParam<const Entry*> {
protected:
    const Entry& entry = *GetParam();
    const std::vector<Row> rows = recorded(entry.scenario);

    // Every claim decided on the intact row must get the same verdict on the damaged one, or none.
    void expect_nothing_else_decided(const Verdicts& whole, const Row& damaged, const std::string& damage) const {
        for (const auto& [claim, verdict] : judged(entry, damaged)) {
            const bool changed = is_decided(whole.at(claim)) && is_decided(verdict) && verdict != whole.at(claim);
            EXPECT_FALSE(changed) << damaged.variant << ", " << claim << ": " << word(whole.at(claim)) << " became "
                                  << word(verdict) << " with " << damage << ": " << reason(entry, damaged, claim);
        }
    }
};

TEST_P(RecordedEvidence, GetsTheWrittenVerdicts) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto where = file_of(entry.scenario).filename().string() + ":" + std::to_string(i + 1);
        EXPECT_EQ(rows[i].name, entry.scenario.name) << where;
        const auto verdicts = judged(entry, rows[i]);
        EXPECT_FALSE(verdicts.empty()) << where << ": no variant named " << rows[i].variant;
        std::set<std::string> written;
        for (const auto& claim : rows[i].claims) {
            written.insert(claim.id);
            const auto found = verdicts.find(claim.id);
            ASSERT_NE(found, verdicts.end()) << where << ": " << rows[i].variant << " does not judge " << claim.id;
            EXPECT_EQ(word(found->second), word(claim.verdict))
                << where << ", " << claim.id << ": " << reason(entry, rows[i], claim.id);
        }
        for (const auto& [claim, verdict] : verdicts)
            EXPECT_TRUE(written.contains(claim)) << where << " does not list " << claim;
    }
}

TEST_P(RecordedEvidence, GivesTheWrittenReasons) {
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (const auto& claim : rows[i].claims) {
            if (!is_decided(claim.verdict)) continue;
            EXPECT_EQ(reason(entry, rows[i], claim.id), claim.because)
                << file_of(entry.scenario).filename().string() << ":" << i + 1 << ", " << claim.id;
        }
}

// A reason is read on its own in a table, beside the verdict.
TEST_P(RecordedEvidence, ReasonsAreShortAndSayWhatWasSeen) {
    constexpr std::size_t longest = 80;
    for (const auto& row : rows)
        for (const auto& [name, variant, ruling] : judge_row(entry, row)) {
            if (ruling.verdict == Verdict::broken) continue;  // how the process ended
            EXPECT_LE(ruling.because.size(), longest) << variant << ", " << ruling.claim << ": " << ruling.because;
            if (!is_decided(ruling.verdict)) continue;
            EXPECT_GE(ruling.because.size(), 12U) << variant << ", " << ruling.claim << ": " << ruling.because;
            for (const auto* category :
                 {"claim", "reproduce", "refute", "partial", "document", "verdict", "as expected"})
                EXPECT_EQ(ruling.because.find(category), std::string::npos)
                    << variant << ", " << ruling.claim << ": " << ruling.because;
        }
}

TEST_P(RecordedEvidence, ShowsExpectedAndAnotherVerdictOfEachClaim) {
    std::map<std::string, std::set<Verdict>> by_claim;
    std::map<std::pair<std::string, std::string>, std::set<Verdict>> by_variant;
    for (const auto& row : rows)
        for (const auto& claim : row.claims) {
            // The harness gives these verdicts, not the judge.
            if (claim.verdict == Verdict::skipped || (claim.verdict == Verdict::broken && !entry.scenario.judges_ends))
                continue;
            by_claim[claim.id].insert(claim.verdict);
            by_variant[{row.variant, claim.id}].insert(claim.verdict);
        }
    for (const auto& variant : entry.scenario.variants)
        for (const auto& [claim, expected] : variant.expected) {
            EXPECT_TRUE((by_variant[{variant.name, claim}].contains(expected)))
                << variant.name << ", " << claim << ": no row shows " << word(expected);
            EXPECT_GE(by_claim[claim].size(), 2U) << claim << ": no row shows a verdict other than " << word(expected);
        }
}

TEST_P(RecordedEvidence, DamagedRowsDecideNothingElse) {
    for (const auto& row : rows) {
        const auto whole = judged(entry, row);
        for (std::size_t i = 0; i < row.evidence.observations.size(); ++i) {
            const auto& key = row.evidence.observations[i].key;
            auto damaged = row;
            damaged.evidence.observations.erase(damaged.evidence.observations.begin() + static_cast<std::ptrdiff_t>(i));
            expect_nothing_else_decided(whole, damaged, "'" + key + "' missing");
            damaged = row;
            damaged.evidence.observations[i].computed = false;
            expect_nothing_else_decided(whole, damaged, "'" + key + "' not computed");
            for (const auto& other : other_types(row.evidence.observations[i].value)) {
                damaged = row;
                damaged.evidence.observations[i].value = other;
                expect_nothing_else_decided(whole, damaged,
                                            "'" + key + "' of type " + std::to_string(other.held.index()));
            }
        }
    }
}

TEST_P(RecordedEvidence, EmptyRowsDecideNothing) {
    for (auto row : rows) {
        row.evidence.observations.clear();
        if (!row.evidence.outcome.normal()) continue;
        for (const auto& [claim, verdict] : judged(entry, row))
            EXPECT_FALSE(is_decided(verdict)) << row.variant << ", " << claim << ": " << reason(entry, row, claim);
    }
}

TEST_P(RecordedEvidence, CrashIsBrokenUnlessEndsAreJudged) {
    if (entry.scenario.judges_ends) return;
    for (auto row : rows) {
        row.evidence.outcome = {"signal", 11, row.evidence.outcome.seconds};
        for (const auto& [claim, verdict] : judged(entry, row))
            EXPECT_EQ(word(verdict), word(Verdict::broken)) << row.variant << ", " << claim;
    }
}

std::vector<const Entry*> all_entries() {
    std::vector<const Entry*> entries;
    for (const auto& entry : registry()) entries.push_back(&entry);
    return entries;
}

std::string test_name(const testing::TestParamInfo<const Entry*>& info) {
    auto name = info.param->scenario.name;
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

// Evaluated when the tests start, after every scenario has registered itself.
INSTANTIATE_TEST_SUITE_P(Judge, RecordedEvidence, testing::ValuesIn(all_entries()), test_name);

}  // namespace
}  // namespace tocuda
