// tocuda, Apache-2.0.
// How often sound sessions are inside the prediction interval, and that changed ones are not.
#include "comparison_rules/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

Start session(RandomNumbers& random, double of_start, double of_process, int processes = 6) {
    Start start;
    const double shift = of_start * random.normal();
    for (int process = 0; process < processes; ++process)
        start.process_medians.push_back(1e-3 * std::exp(shift + of_process * random.normal()));
    return start;
}

RowRepetition judge(const RepeatedRow& row) { return judge_repetition(std::vector{row}).front(); }

double inside(double of_start, int history, int tries) {
    RandomNumbers random(5);
    int count = 0;
    for (int i = 0; i < tries; ++i) {
        RepeatedRow row;
        row.old_starts = {session(random, of_start, 0.01)};
        if (history > 0) row.history.groups.emplace_back();
        for (int start = 0; start < history; ++start) row.history.groups[0].push_back(session(random, of_start, 0.01));
        row.new_processes = session(random, of_start, 0.01).process_medians;
        count += judge(row).verdict == Repeated::inside ? 1 : 0;
    }
    return static_cast<double>(count) / tries;
}

TEST(Prediction, SoundSessionsAreInsideNineteenTimesInTwenty) {
    EXPECT_NEAR(inside(0, 0, 2000), 0.95, 0.025);
    EXPECT_NEAR(inside(0.02, 10, 2000), 0.95, 0.025);
}

TEST(Prediction, SaysThatSessionVarianceIsUnknownWithoutHistory) {
    EXPECT_LT(inside(0.02, 0, 1000), 0.75);
    RandomNumbers random(6);
    RepeatedRow row{.old_starts = {session(random, 0, 0.01)},
                    .new_processes = session(random, 0, 0.01).process_medians};
    EXPECT_FALSE(judge(row).knows_starts);
    EXPECT_EQ(judge(row).because, "the variance between sessions is unknown; only that of processes is considered");
    row.history.groups = {{session(random, 0, 0.01), session(random, 0, 0.01), session(random, 0, 0.01)}};
    EXPECT_TRUE(judge(row).knows_starts);
    EXPECT_TRUE(judge(row).because.empty());
}

TEST(Prediction, TenPercentSlowerIsOutside) {
    RandomNumbers random(7);
    RepeatedRow row{.old_starts = {session(random, 0, 0.005)},
                    .new_processes = session(random, 0, 0.005).process_medians};
    for (double& seconds : row.new_processes) seconds *= 1.1;
    const auto answer = judge(row);
    EXPECT_EQ(answer.verdict, Repeated::outside);
    EXPECT_NEAR(*answer.change, 0.1, 0.02);
    EXPECT_LT(answer.interval->high, 0.1);
    EXPECT_NEAR(*answer.interval_level, 0.95, 1e-12);
}

TEST(Prediction, ChangesWithinTheMarginAreInside) {
    RepeatedRow row{.old_starts = {{"", std::vector<double>(6, 1e-3)}},
                    .new_processes = std::vector<double>(6, 1.004e-3)};
    EXPECT_EQ(judge(row).verdict, Repeated::inside);
    row.new_processes.assign(6, 1.006e-3);
    EXPECT_EQ(judge(row).verdict, Repeated::outside);
}

TEST(Prediction, FamilyOfRowsLimitsChanceFindings) {
    RandomNumbers random(8);
    int repetitions = 0;
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
        std::vector<RepeatedRow> rows(20);
        for (auto& row : rows)
            row = {.old_starts = {session(random, 0, 0.01)}, .new_processes = session(random, 0, 0.01).process_medians};
        const auto answers = judge_repetition(rows);
        repetitions += std::any_of(answers.begin(), answers.end(),
                                   [](const auto& answer) { return answer.verdict == Repeated::outside; })
                           ? 1
                           : 0;
    }
    EXPECT_LT(repetitions, 0.15 * tries);
}

TEST(Prediction, InsufficientDataIsUnknown) {
    const std::vector<double> one{1e-3};
    EXPECT_EQ(judge({.old_starts = {{"", one}}, .new_processes = one}).because,
              "one process on each side does not show how processes vary");
    EXPECT_EQ(judge({.new_processes = one}).because, "no old time");
    EXPECT_EQ(judge({.old_starts = {{"", one}}}).because, "no new time");
    EXPECT_EQ(judge({.invalid = "throttled", .old_starts = {{"", one}}}).because, "throttled");
    const auto broken = judge({.old_starts = {{"", {1e-3, std::nan("")}}}, .new_processes = one});
    EXPECT_EQ(broken.verdict, Repeated::unknown);
    EXPECT_EQ(broken.because, "a time is not positive and finite");
    EXPECT_FALSE(broken.change);
}

}  // namespace
}  // namespace tocuda
