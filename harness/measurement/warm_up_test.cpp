// tocuda, Apache-2.0.
// How long a GPU is warmed up, by courses of its clock.
#include "measurement/warm_up.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

struct WarmedUp {
    double seconds = 0;
    std::vector<std::string> flags{};
};

// Each millisecond of work shows the clock as it stands after so many of them.
WarmedUp warm_up(const std::function<std::optional<double>(int)>& clock) {
    double now = 5;
    int done = 0;
    WarmedUp warmed;
    warmed.flags = WarmUp{}.run(
        [&] {
            now += 1e-3;
            return clock(++done);
        },
        [&] { return now; });
    warmed.seconds = now - 5;
    return warmed;
}

TEST(WarmUp, OfASteadyClockTakesTheTimeThatShowsIt) {
    const auto warmed = warm_up([](int) { return 1980.0; });
    EXPECT_NEAR(warmed.seconds, 0.021, 0.0015);
    EXPECT_TRUE(warmed.flags.empty());
}

TEST(WarmUp, WaitsForAClockThatStillRises) {
    const auto warmed = warm_up([](int done) { return done < 60 ? 345 + 27.0 * done : 1980.0; });
    EXPECT_NEAR(warmed.seconds, 0.080, 0.003);
    EXPECT_TRUE(warmed.flags.empty());
}

TEST(WarmUp, AJumpBeginsTheWaitAnew) {
    const auto warmed = warm_up([](int done) { return done < 15 ? 1980.0 : 1900.0; });
    EXPECT_NEAR(warmed.seconds, 0.035, 0.002);
}

TEST(WarmUp, WithinOnePercentIsSteady) {
    EXPECT_LT(warm_up([](int done) { return done % 2 == 0 ? 1980.0 : 1965.0; }).seconds, 0.03);
}

TEST(WarmUp, AClockThatNeverSettlesIsAFlag) {
    const auto warmed = warm_up([](int done) { return done % 2 == 0 ? 1980.0 : 1900.0; });
    EXPECT_NEAR(warmed.seconds, 0.300, 0.002);
    EXPECT_EQ(warmed.flags, std::vector<std::string>{"clock_not_steady"});
}

TEST(WarmUp, AClockThatNobodySeesTakesTheWholeTimeAndIsAFlag) {
    const auto warmed = warm_up([](int) { return std::nullopt; });
    EXPECT_NEAR(warmed.seconds, 0.300, 0.002);
    EXPECT_EQ(warmed.flags, std::vector<std::string>{"clock_not_seen"});
}

TEST(WarmUp, ReadingsFarApartAreEnough) {
    double now = 0;
    const auto flags = WarmUp{}.run(
        [&] {
            now += 0.1;
            return 1980.0;
        },
        [&] { return now; });
    EXPECT_TRUE(flags.empty());
    EXPECT_NEAR(now, 0.2, 1e-9);
}

}  // namespace
}  // namespace tocuda
