// tocuda, Apache-2.0.
// Steps are found where they are, and none is found without one.
#include "comparison_rules/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

std::vector<double> sessions(RandomNumbers& random, const std::vector<double>& levels, double spread) {
    std::vector<double> seconds;
    for (const double level : levels) seconds.push_back(1e-3 * level * std::exp(spread * random.normal()));
    return seconds;
}

std::vector<double> step(int before, int after, double change) {
    std::vector<double> levels(static_cast<std::size_t>(before), 1);
    levels.insert(levels.end(), static_cast<std::size_t>(after), 1 + change);
    return levels;
}

TEST(ChangePoints, FindsTwoPercentInFortySessions) {
    RandomNumbers random(1);
    for (const int at : {8, 20, 35}) {
        const auto found = change_points(sessions(random, step(at, 40 - at, 0.02), 0.003));
        ASSERT_EQ(found.points.size(), 1U) << at;
        EXPECT_EQ(found.points[0].first, static_cast<std::size_t>(at));
        EXPECT_NEAR(found.points[0].change, 0.02, 0.004);
        EXPECT_LE(found.points[0].probability, 0.005);
        EXPECT_TRUE(found.because.empty());
    }
}

TEST(ChangePoints, FindsSeveralStepsInOrderOfTime) {
    RandomNumbers random(2);
    auto levels = step(20, 20, 0.03);
    levels.insert(levels.end(), 20, 0.98);
    const auto found = change_points(sessions(random, levels, 0.003)).points;
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].first, 20U);
    EXPECT_NEAR(found[0].change, 0.03, 0.005);
    EXPECT_EQ(found[1].first, 40U);
    EXPECT_NEAR(found[1].change, 0.98 / 1.03 - 1, 0.005);
}

TEST(ChangePoints, RarelyFindsAStepWithoutOne) {
    RandomNumbers random(3);
    int alarmed = 0;
    constexpr int tries = 400;
    for (int i = 0; i < tries; ++i)
        alarmed += change_points(sessions(random, step(40, 0, 0), 0.01)).points.empty() ? 0 : 1;
    EXPECT_LE(alarmed, tries / 100 + 4);
    const auto heavy = [&] {
        std::vector<double> seconds;
        while (seconds.size() < 40) seconds.push_back(std::exp(0.01 * random.student3()));
        return seconds;
    };
    alarmed = 0;
    for (int i = 0; i < 100; ++i) alarmed += change_points(heavy()).points.empty() ? 0 : 1;
    EXPECT_LE(alarmed, 4);
}

TEST(ChangePoints, IgnoresOneOutlierAndStepsBelowTheMargin) {
    RandomNumbers random(4);
    auto seconds = sessions(random, step(30, 0, 0), 0.003);
    seconds[12] *= 2;
    EXPECT_TRUE(change_points(seconds).points.empty());
    EXPECT_TRUE(change_points(sessions(random, step(30, 30, 0.003), 0.0003)).points.empty());
    EXPECT_EQ(change_points(sessions(random, step(30, 30, 0.003), 0.0003), {.margin = 0.001}).points.size(), 1U);
}

TEST(ChangePoints, NeedsTwentySessions) {
    RandomNumbers random(5);
    const auto few = change_points(sessions(random, step(10, 9, 0.5), 0.003));
    EXPECT_TRUE(few.points.empty());
    EXPECT_EQ(few.because, "19 of 20 sessions");
    EXPECT_EQ(change_points(std::vector<double>(20, 0.0)).because, "a time is not positive and finite");
    EXPECT_TRUE(change_points(std::vector<double>(20, 1.0)).points.empty());
}

TEST(ChangePoints, IsDeterministic) {
    RandomNumbers random(6);
    const auto seconds = sessions(random, step(15, 15, 0.01), 0.005);
    EXPECT_EQ(change_points(seconds), change_points(seconds));
}

}  // namespace
}  // namespace tocuda
