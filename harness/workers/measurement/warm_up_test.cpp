// tocuda, Apache-2.0.
// Tests how long a GPU is warmed up, for different courses of its clock.
#include "measurement/warm_up.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

struct WarmedUp {
    double seconds = 0;
    Flags flags{};
    std::optional<double> clock{};
};

// Each call works for a millisecond and returns the clock after that many milliseconds of work.
WarmedUp warm_up(const std::function<std::optional<double>(int)>& clock, std::optional<double> most = {}) {
    double now = 5;
    int done = 0;
    const auto ended = WarmUp{}.run(
        [&] {
            now += 1e-3;
            return clock(++done);
        },
        [&] { return now; }, most);
    return {.seconds = now - 5, .flags = ended.flags, .clock = ended.clock};
}

TEST(WarmUp, EndsOnceClockIsShownSteady) {
    const auto warmed = warm_up([](int) { return 1980.0; });
    EXPECT_NEAR(warmed.seconds, 0.021, 0.0015);
    EXPECT_TRUE(warmed.flags.empty());
}

TEST(WarmUp, WaitsForRisingClock) {
    const auto warmed = warm_up([](int done) { return done < 60 ? 345 + 27.0 * done : 1980.0; });
    EXPECT_NEAR(warmed.seconds, 0.080, 0.003);
    EXPECT_TRUE(warmed.flags.empty());
}

TEST(WarmUp, RestartsWaitAfterJump) {
    const auto warmed = warm_up([](int done) { return done < 15 ? 1980.0 : 1900.0; });
    EXPECT_NEAR(warmed.seconds, 0.035, 0.002);
}

TEST(WarmUp, ClockWithinOnePercentIsSteady) {
    EXPECT_LT(warm_up([](int done) { return done % 2 == 0 ? 1980.0 : 1965.0; }).seconds, 0.03);
}

TEST(WarmUp, FlagsClockThatNeverSettles) {
    const auto warmed = warm_up([](int done) { return done % 2 == 0 ? 1980.0 : 1900.0; });
    EXPECT_NEAR(warmed.seconds, 0.300, 0.002);
    EXPECT_EQ(warmed.flags, Flags{"clock_not_steady"});
}

TEST(WarmUp, FlagsClockFarBelowMaximumAfterWaiting) {
    const auto stuck = warm_up([](int) { return 345.0; }, 1980);
    EXPECT_NEAR(stuck.seconds, 0.300, 0.002);
    EXPECT_EQ(stuck.flags, Flags{"sm_clock_below_half"});
    EXPECT_EQ(stuck.clock, 345);
    EXPECT_EQ(warm_up([](int) { return 345.0; }).flags, Flags{}) << "its maximum is unknown";
}

TEST(WarmUp, WaitsForClockThatRisesLate) {
    const auto warmed = warm_up([](int done) { return done < 100 ? 345.0 : 1700.0; }, 1980);
    EXPECT_NEAR(warmed.seconds, 0.120, 0.003);
    EXPECT_TRUE(warmed.flags.empty());
    EXPECT_EQ(warmed.clock, 1700);
}

TEST(WarmUp, FlagsUnknownClockAfterWholeTime) {
    const auto warmed = warm_up([](int) { return std::nullopt; });
    EXPECT_NEAR(warmed.seconds, 0.300, 0.002);
    EXPECT_EQ(warmed.flags, Flags{"clock_not_seen"});
}

TEST(WarmUp, AcceptsReadingsFarApart) {
    double now = 0;
    const auto ended = WarmUp{}.run(
        [&] {
            now += 0.1;
            return 1980.0;
        },
        [&] { return now; });
    EXPECT_TRUE(ended.flags.empty());
    EXPECT_NEAR(now, 0.2, 1e-9);
}

}  // namespace
}  // namespace tocuda
