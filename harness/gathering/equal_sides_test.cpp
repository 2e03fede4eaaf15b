// tocuda, Apache-2.0.
// Which starts of a history stand against which, and that none of them is its own history.
#include "gathering/equal_sides.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gathering/made_up_sections_test.hpp"

namespace tocuda {
namespace {

using Comparisons = std::vector<std::vector<ComparedRow>>;
using Names = std::vector<std::string>;

Comparisons comparisons_of(const std::vector<RunLine>& runs) {
    RowNames names;
    Gathering gathering(names);
    for (const auto& run : runs) made_up::add_run(gathering, run, made_up::rows_of("copy/x", {1e-3, 2e-3}));
    std::vector<std::string> warnings;
    return equal_sides(names, gathering.finish(warnings));
}

std::vector<RunLine> runs_of(int first, int count, const std::string& driver = "570.86.15") {
    std::vector<RunLine> runs;
    for (int number = first; number < first + count; ++number) runs.push_back(made_up::run_of(number, driver));
    return runs;
}

Names names_of(const std::vector<Start>& side) {
    Names names;
    for (const auto& start : side) names.push_back(start.name);
    return names;
}

Names sessions(int first, int count) {
    Names names;
    for (const auto& run : runs_of(first, count)) names.push_back(run.session);
    return names;
}

TEST(EqualSides, AreThreeStartsAgainstTheNextThree) {
    auto runs = runs_of(1, 11);  // the last two are too few for a side
    std::reverse(runs.begin(), runs.end());
    const auto comparisons = comparisons_of(runs);
    ASSERT_EQ(comparisons.size(), 2U);
    EXPECT_EQ(names_of(comparisons[0].at(0).before), sessions(1, 3));
    EXPECT_EQ(names_of(comparisons[0].at(0).after), sessions(4, 3));
    EXPECT_EQ(names_of(comparisons[1].at(0).before), sessions(4, 3));
    EXPECT_EQ(names_of(comparisons[1].at(0).after), sessions(7, 3));
}

TEST(EqualSides, AreNoneOfFewerThanSixStarts) {
    EXPECT_TRUE(comparisons_of(runs_of(1, 5)).empty());
    EXPECT_EQ(comparisons_of(runs_of(1, 6)).size(), 1U);
}

TEST(EqualSides, AreOfEqualConditionsOnly) {
    auto runs = runs_of(1, 5);
    for (const auto& run : runs_of(6, 5, "580.95.05")) runs.push_back(run);
    EXPECT_TRUE(comparisons_of(runs).empty());
    runs.push_back(made_up::run_of(11));
    const auto comparisons = comparisons_of(runs);
    ASSERT_EQ(comparisons.size(), 1U);
    EXPECT_EQ(names_of(comparisons[0].at(0).after), (Names{"session-04", "session-05", "session-11"}));
    for (auto& run : runs) run.gpus[0].power_limit_w = run.run < "run-06" ? 600 : 700;
    EXPECT_TRUE(comparisons_of(runs).empty());
}

TEST(EqualSides, HaveAllOthersForTheirHistory) {
    auto runs = runs_of(1, 9);
    for (const auto& run : runs_of(10, 2, "580.95.05")) runs.push_back(run);
    const auto comparisons = comparisons_of(runs);
    ASSERT_EQ(comparisons.size(), 2U);
    const auto& groups = comparisons[1].at(0).history.groups;
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(names_of(groups[0]), sessions(1, 3));
    EXPECT_EQ(names_of(groups[1]), sessions(10, 2));
}

TEST(EqualSides, AreNoPartOfTheirHistoryThoughAStartHasSeveralRuns) {
    auto runs = runs_of(1, 6);
    runs.push_back(made_up::run_of(7));
    runs.back().session = "session-02";
    const auto comparisons = comparisons_of(runs);
    ASSERT_EQ(comparisons.size(), 1U);
    EXPECT_EQ(comparisons[0].at(0).before.at(1).process_medians.size(), 4U);
    EXPECT_TRUE(comparisons[0].at(0).history.groups.empty());
}

}  // namespace
}  // namespace tocuda
