// tocuda, Apache-2.0.
// Checks the list of claims against the scenarios of every described worker: each claim has a scenario, and its
// variants together expect the listed verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "json_lines/worker_lines.hpp"
#include "model/tally.hpp"
#include "worker/registered.hpp"

namespace tocuda {
namespace {

using Ledger = std::map<std::string, Verdict>;

// Returns the claims of the documents and those of today. Both lists begin with an id and a verdict.
Ledger ledger() {
    Ledger all;
    for (const auto* name : {"claims.txt", "claims_of_today.txt"}) {
        const auto path = std::filesystem::path(TOCUDA_SCENARIOS_FOLDER) / name;
        std::ifstream file(path);
        EXPECT_TRUE(file) << path << " is missing";
        for (std::string line; std::getline(file, line);) {
            if (line.empty() || line.front() == '#') continue;
            std::istringstream words(line);
            std::string id, verdict;
            words >> id >> verdict;
            EXPECT_TRUE(verdict_of(verdict)) << path << ": " << line;
            EXPECT_TRUE(all.emplace(id, verdict_of(verdict).value_or(Verdict::broken)).second)
                << path << ": " << id << " is listed twice";
        }
    }
    return all;
}

// Returns the scenarios of this program and those described by the other workers.
std::vector<Scenario> scenarios() {
    std::vector<Scenario> all;
    std::set<std::string> known;
    for (const auto& entry : registry()) {
        all.push_back(entry.scenario);
        known.insert(entry.scenario.name);
    }
    for (const auto& entry : std::filesystem::directory_iterator(TOCUDA_PROGRAMS_FOLDER)) {
        // This program is LibTorch's worker; its description file may be older.
        if (!entry.path().string().ends_with(".describe.jsonl") ||
            entry.path().filename() == "tocuda-torch.describe.jsonl")
            continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            const auto described = describe_line(line);
            if (!described) continue;
            const auto* scenario = std::get_if<Scenario>(&*described);
            if (scenario && known.insert(scenario->name).second) all.push_back(*scenario);
        }
    }
    return all;
}

TEST(LedgerOfClaims, EachHasAScenario) {
    std::set<std::string> carried;
    for (const auto& scenario : scenarios())
        for (const auto& variant : scenario.variants)
            for (const auto& [claim, expected] : variant.expected) carried.insert(claim);
    std::string missing;
    for (const auto& [claim, verdict] : ledger())
        if (!carried.contains(claim)) missing += "\n" + claim + " " + std::string(word(verdict));
    EXPECT_EQ(missing, "") << "these claims have no scenario";
}

// Variants may only differ where the listed verdict is partial.
TEST(LedgerOfClaims, VariantsExpectListedVerdict) {
    std::map<std::string, std::vector<Verdict>> expected;
    for (const auto& scenario : scenarios())
        for (const auto& variant : scenario.variants)
            for (const auto& [claim, verdict] : variant.expected) expected[claim].push_back(verdict);
    const auto listed = ledger();
    for (const auto& [claim, verdicts] : expected) {
        const auto found = listed.find(claim);
        if (found == listed.end() && claim.starts_with("X-")) continue;  // nobody's in particular
        ASSERT_NE(found, listed.end()) << claim << " is not in the list";
        EXPECT_EQ(word(common_word(verdicts)), word(found->second)) << claim;
    }
}

TEST(LedgerOfClaims, EachClaimHasOneStatementThatFitsInItsColumn) {
    constexpr std::size_t column = 40;
    std::map<std::string, std::string> statements;
    for (const auto& scenario : scenarios())
        for (const auto& claim : scenario.claims) {
            EXPECT_FALSE(claim.statement.empty()) << scenario.name << ": " << claim.id;
            EXPECT_LE(claim.statement.size(), column) << scenario.name << ", " << claim.id << ": " << claim.statement;
            EXPECT_EQ(statements.emplace(claim.id, claim.statement).first->second, claim.statement)
                << scenario.name << ", " << claim.id;
        }
    EXPECT_GE(statements.size(), ledger().size());
}

TEST(LedgerOfClaims, ObservedAndDecisiveFitInTwoLines) {
    constexpr std::size_t two_lines_or_little_more = 170;
    for (const auto& scenario : scenarios())
        for (const auto& sentence : {scenario.observed, scenario.decisive}) {
            EXPECT_GE(sentence.size(), 20U) << scenario.name << ": " << sentence;
            EXPECT_LE(sentence.size(), two_lines_or_little_more) << scenario.name << ": " << sentence;
        }
}

TEST(LedgerOfClaims, ExpectedClaimsAreStatedByTheScenario) {
    for (const auto& scenario : scenarios())
        for (const auto& variant : scenario.variants)
            for (const auto& [claim, expected] : variant.expected) {
                const auto stated = std::any_of(scenario.claims.begin(), scenario.claims.end(),
                                                [&, id = claim](const Claim& made) { return made.id == id; });
                EXPECT_TRUE(stated) << scenario.name << ", " << variant.name << ": " << claim
                                    << " is expected but not stated";
            }
}

}  // namespace
}  // namespace tocuda
