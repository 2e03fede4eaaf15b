// tocuda, Apache-2.0.
// Which nodes stand out among their peers, and that sound cohorts raise no alarm.
#include "comparison_rules/cohort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

// Returns equal nodes except the last, which has this part of the usual value.
std::vector<double> nodes(RandomNumbers& random, int count, double spread, double last = 1) {
    std::vector<double> values;
    for (int node = 0; node < count; ++node) values.push_back(55e9 * std::exp(spread * random.normal()));
    values.back() = 55e9 * last;
    return values;
}

int standing_out(const std::vector<CohortAnswer>& answers) {
    return static_cast<int>(std::count_if(answers.begin(), answers.end(), [](const CohortAnswer& answer) {
        return answer.standing == Standing::below || answer.standing == Standing::above;
    }));
}

TEST(Cohort, FindsOneNodeOf64BelowItsPeers) {
    RandomNumbers random(1);
    const auto answers = judge_cohort(nodes(random, 64, 0.004, 0.959));
    EXPECT_EQ(standing_out(answers), 1);
    const auto& last = answers.back();
    EXPECT_EQ(last.standing, Standing::below);
    EXPECT_EQ(last.peers, 63);
    EXPECT_NEAR(*last.difference, -0.041, 0.003);
    EXPECT_LT(*last.z, -5);
    EXPECT_EQ(last.because.substr(3, 22), " % below its 63 peers,");
}

TEST(Cohort, FindsOneOfEightWithHalfItsLink) {
    RandomNumbers random(2);
    EXPECT_EQ(judge_cohort(nodes(random, 8, 0.004, 0.5)).back().standing, Standing::below);
}

TEST(Cohort, DifferencesWithinTheMarginAreUsualEvenIfPeersAreEqual) {
    RandomNumbers random(3);
    auto values = nodes(random, 20, 0, 0.975);
    EXPECT_EQ(standing_out(judge_cohort(values)), 0);
    values.back() = 55e9 * 0.96;
    EXPECT_EQ(judge_cohort(values).back().standing, Standing::below);
    EXPECT_EQ(judge_cohort(values).back().because, "4.0 % below its 19 peers, which are all equal");
    EXPECT_FALSE(judge_cohort(values).back().z);
}

TEST(Cohort, DifferencesBeyondTheMarginAreUsualIfPeersVaryAsMuch) {
    RandomNumbers random(4);
    EXPECT_EQ(judge_cohort(nodes(random, 64, 0.04, 0.92)).back().standing, Standing::usual);
}

TEST(Cohort, FewPeersGiveNoAnswer) {
    RandomNumbers random(5);
    const auto five = judge_cohort(nodes(random, 5, 0.004, 0.5));
    EXPECT_EQ(five.back().standing, Standing::too_few_peers);
    EXPECT_EQ(five.back().because, "4 of 5 peers");
    EXPECT_NEAR(*five.back().difference, -0.5, 0.01);
    const auto alone = judge_cohort(nodes(random, 1, 0.004, 0.5));
    EXPECT_EQ(alone.back().because, "0 of 5 peers");
    EXPECT_FALSE(alone.back().difference);
}

TEST(Cohort, InvalidValuesAreNoPeers) {
    RandomNumbers random(6);
    auto values = nodes(random, 6, 0.004);
    values[0] = std::nan("");
    const auto answers = judge_cohort(values);
    EXPECT_EQ(answers[0].standing, Standing::no_value);
    EXPECT_EQ(answers[1].peers, 4);
}

TEST(Cohort, OrderOfNodesDoesNotMatter) {
    RandomNumbers random(7);
    auto values = nodes(random, 20, 0.004, 0.9);
    auto answers = judge_cohort(values);
    EXPECT_EQ(standing_out(answers), 1);
    std::reverse(values.begin(), values.end());
    std::reverse(answers.begin(), answers.end());
    EXPECT_EQ(judge_cohort(values), answers);
}

TEST(Cohort, RowsThatShareTheLevelAreJudgedMoreStrictly) {
    RandomNumbers random(7);
    const auto values = nodes(random, 20, 0.01, 0.94);
    EXPECT_EQ(judge_cohort(values).back().standing, Standing::below);
    EXPECT_EQ(judge_cohort(values, {.questions_elsewhere = 100000}).back().standing, Standing::usual);
}

TEST(Cohort, SoundCohortsRaiseFewAlarms) {
    RandomNumbers random(8);
    int alarmed = 0;
    constexpr int tries = 200;
    constexpr int rows = 10;
    for (int i = 0; i < tries; ++i) {
        int stands_out = 0;
        for (int row = 0; row < rows; ++row) {
            auto values = nodes(random, i % 2 == 0 ? 8 : 32, 0.02);
            values.pop_back();
            const int elsewhere = (rows - 1) * static_cast<int>(values.size());
            stands_out += standing_out(judge_cohort(values, {.questions_elsewhere = elsewhere}));
        }
        alarmed += stands_out > 0 ? 1 : 0;
    }
    EXPECT_LE(alarmed, 10);
}

}  // namespace
}  // namespace tocuda
