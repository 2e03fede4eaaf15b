// tocuda, Apache-2.0.
// Throttling makes samples invalid; states that are normal under load are flags.
#include "summary/validity.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace tocuda {
namespace {

using Reasons = std::vector<std::string>;

Samples counted(const std::string& counter, std::int64_t before, std::int64_t after) {
    return {.before = Telemetry{.violation_ns = {{counter, before}}},
            .after = Telemetry{.violation_ns = {{counter, after}}}};
}

Samples at_clock(int mhz) { return {.after = Telemetry{.sm_clock_mhz = mhz}}; }

TEST(Validity, AdvancedThrottlingCounterIsInvalid) {
    for (const char* counter : {"hw_slowdown", "hw_thermal", "hw_power_brake", "sw_thermal"})
        EXPECT_EQ(why_invalid(counted(counter, 10, 12'000'010), {}),
                  std::string(counter) + " held the clock down for 12 ms");
    EXPECT_EQ(why_invalid(counted("hw_thermal", 10, 11), {}), "hw_thermal held the clock down for less than 1 ms");
}

TEST(Validity, LoadThatEndedEarlyIsInvalid) {
    EXPECT_EQ(why_invalid({.flags = {"load_ended_early"}}, {}), "the load ended before the timed operations had");
}

TEST(Validity, UnchangedOrResetCounterIsIgnored) {
    EXPECT_EQ(why_invalid(counted("hw_thermal", 10, 10), {}), "");
    EXPECT_EQ(why_invalid(counted("hw_thermal", 10, 0), {}), "");
}

TEST(Validity, CounterReadOnceIsIgnored) {
    EXPECT_EQ(why_invalid({.after = Telemetry{.violation_ns = {{"hw_thermal", 99}}}}, {}), "");
    EXPECT_EQ(why_invalid({.before = Telemetry{}, .after = Telemetry{.violation_ns = {{"hw_thermal", 99}}}}, {}), "");
}

TEST(Validity, PowerCapIsOnlyAFlag) {
    const auto capped = counted("sw_power_cap", 10, 12'000'010);
    EXPECT_EQ(why_invalid(capped, {}), "");
    EXPECT_EQ(flags_of(capped), Flags{"sw_power_cap"});
}

TEST(Validity, ReasonWithoutACounterIsOnlyAFlag) {
    const Samples seen{.after = Telemetry{.reasons = Reasons{"hw_slowdown"}}};
    EXPECT_EQ(why_invalid(seen, {}), "");
    EXPECT_EQ(flags_of(seen), Flags{"hw_slowdown"});
}

TEST(Validity, ThrottlingReasonWithALowClockUnderLoadIsInvalid) {
    const auto at = [](int mhz, const char* reason) {
        return Telemetry{.sm_clock_mhz = mhz, .sm_clock_max_mhz = 1980, .reasons = Reasons{reason}};
    };
    for (const char* reason : {"hw_slowdown", "hw_thermal", "hw_power_brake", "sw_thermal"})
        EXPECT_EQ(why_invalid({.during = at(600, reason)}, {}),
                  std::string(reason) + " held the SM clock down at 600 of 1980 MHz");
    EXPECT_EQ(why_invalid({.after = at(600, "hw_slowdown")}, {}),
              "hw_slowdown held the SM clock down at 600 of 1980 MHz");
    EXPECT_EQ(why_invalid({.during = at(1980, "hw_slowdown")}, {}), "") << "given for a moment";
    EXPECT_EQ(why_invalid({.during = at(600, "sw_power_cap")}, {}), "") << "the power limit is no fault";
    EXPECT_EQ(why_invalid({.during = at(1980, "none"), .after = at(600, "hw_slowdown")}, {}), "") << "not under load";
    EXPECT_EQ(why_invalid({.during = at(600, "hw_slowdown"), .course = {Telemetry{}}}, {}), "") << "shows it";
}

TEST(Validity, ClockFivePercentBelowUsualIsInvalid) {
    EXPECT_EQ(why_invalid(at_clock(1901), 2000.0), "");
    EXPECT_EQ(why_invalid(at_clock(1900), 2000.0), "the SM clock was 1900 MHz, below the row's usual 2000");
    EXPECT_EQ(why_invalid(at_clock(1000), {}), "");
    EXPECT_EQ(why_invalid({}, 2000.0), "");
}

TEST(Validity, ClockThatThePowerLimitHoldsDownIsNot) {
    const auto at = [](Reasons reasons) {
        return Samples{.during = Telemetry{.sm_clock_mhz = 1300, .reasons = std::move(reasons)}};
    };
    EXPECT_EQ(why_invalid(at({"sw_power_cap"}), 1500.0), "");
    EXPECT_EQ(why_invalid(at({"sw_power_cap", "application_clocks"}), 1500.0), "");
    for (const auto& other : {Reasons{}, Reasons{"application_clocks"}, Reasons{"sw_power_cap", "sw_thermal"},
                              Reasons{"sw_power_cap", "hw_slowdown"}})
        EXPECT_NE(why_invalid(at(other), 1500.0), "") << (other.empty() ? "no reason" : other.back());
    auto counted_alone = counted("sw_power_cap", 10, 12'000'010);  // the reason was given at another moment
    counted_alone.after->sm_clock_mhz = 1300;
    EXPECT_EQ(why_invalid(counted_alone, 1500.0), "");
}

TEST(Validity, UsualClockIsTheMedianOfTheReadings) {
    const auto slow = at_clock(1000);
    const auto usual = at_clock(1980);
    const Samples unread{};
    EXPECT_EQ(usual_sm_clock(std::vector{&slow, &usual, &unread, &usual}), 1980);
    EXPECT_FALSE(usual_sm_clock(std::vector{&unread}));
}

TEST(Validity, PrefersTheClockDuringTheSamples) {
    EXPECT_EQ(sm_clock_under_load({.before = Telemetry{.sm_clock_mhz = 345},
                                   .during = Telemetry{.sm_clock_mhz = 1980},
                                   .after = Telemetry{.sm_clock_mhz = 1500}}),
              1980);
    EXPECT_EQ(sm_clock_under_load({.before = Telemetry{.sm_clock_mhz = 345}, .after = Telemetry{.sm_clock_mhz = 1500}}),
              1500);
    EXPECT_EQ(sm_clock_under_load({.before = Telemetry{.sm_clock_mhz = 345}}), 345);
}

TEST(Validity, ClockOfAnIdleGpuIsIgnored) {
    const Samples idle{.after = Telemetry{.sm_clock_mhz = 345, .reasons = Reasons{"gpu_idle"}}};
    EXPECT_FALSE(sm_clock_under_load(idle));
    EXPECT_EQ(why_invalid(idle, 1980.0), "");
    EXPECT_EQ(flags_of(idle), Flags{});
}

TEST(Validity, ForeignProcessesAreAFlag) {
    EXPECT_EQ(flags_of({.before = Telemetry{.foreign_processes = 2}}), Flags{"foreign_processes"});
    EXPECT_EQ(flags_of({.before = Telemetry{.foreign_processes = 0}}), Flags{});
}

TEST(Validity, ErrorsCountedMeanwhileAreFlags) {
    const Telemetry before{.pcie_replays = 5, .ecc_corrected = 7, .ecc_uncorrected = 0, .xids = std::vector{31}};
    EXPECT_EQ(flags_of({.before = before, .after = before}), Flags{}) << "all of them are older";
    auto after = before;
    after.pcie_replays = 6;
    EXPECT_EQ(flags_of({.before = before, .after = after}), Flags{"pcie_replays"});
    after.ecc_corrected = 8;
    after.ecc_uncorrected = 1;
    after.xids = {31, 94, 94};
    EXPECT_EQ(flags_of({.before = before, .after = after}),
              (Flags{"pcie_replays", "ecc_corrected", "ecc_uncorrected", "xid (94)"}));
    EXPECT_EQ(flags_of({.before = Telemetry{}, .after = Telemetry{.pcie_replays = 6}}), Flags{}) << "read once";
}

TEST(Validity, LinkBelowItsMaximumUnderLoadIsAFlag) {
    const PcieLink link{.generation_max = 5, .width_max = 16};
    const Telemetry full{.link_generation = 5, .link_width = 16};
    const Telemetry narrow{.link_generation = 5, .link_width = 8};
    const Telemetry slow{.link_generation = 1, .link_width = 16};
    EXPECT_EQ(flags_of({.after = narrow}, link), Flags{"link_below_maximum"});
    EXPECT_EQ(flags_of({.after = slow}, link), Flags{"link_below_maximum"});
    EXPECT_EQ(flags_of({.before = slow, .after = full}, link), Flags{});
    EXPECT_EQ(flags_of({.during = full, .after = slow}, link), Flags{});
    EXPECT_EQ(flags_of({.after = narrow}), Flags{});
}

Telemetry at_clocks(int sm, int memory, Reasons reasons = {}) {
    return {.sm_clock_mhz = sm,
            .memory_clock_mhz = memory,
            .sm_clock_max_mhz = 1980,
            .memory_clock_max_mhz = 3201,
            .reasons = std::move(reasons)};
}

// All processes of the row have this clock, so the usual clock is 345 MHz too and does not reveal it.
TEST(Validity, StuckClockIsAFlag) {
    const Samples stuck{.during = at_clocks(345, 3201)};
    EXPECT_EQ(why_invalid(stuck, usual_sm_clock(std::vector{&stuck, &stuck})), "");
    EXPECT_EQ(flags_of(stuck), Flags{"sm_clock_below_half"});
    EXPECT_EQ(flags_of({.after = at_clocks(989, 3201)}), Flags{"sm_clock_below_half"})
        << "with the host clock there is no reading during the samples";
    EXPECT_EQ(flags_of({.before = at_clocks(345, 3201), .during = at_clocks(1980, 3201)}), Flags{})
        << "not yet under load";
}

TEST(Validity, ClockBelowHalfAtThePowerLimitIsNoStuckClock) {
    EXPECT_EQ(flags_of({.during = at_clocks(800, 3201, {"sw_power_cap"})}),
              (Flags{"sw_power_cap", "sm_clock_below_90_percent (sw_power_cap)"}));
    EXPECT_EQ(flags_of({.during = at_clocks(800, 3201, {"sw_power_cap", "hw_power_brake"})}),
              (Flags{"sw_power_cap", "hw_power_brake", "sm_clock_below_half"}));
}

TEST(Validity, ClockCountedByAKernelTakesPrecedence) {
    auto before = at_clocks(1980, 3201);
    before.sm_clock_counted_mhz = 345;
    EXPECT_EQ(flags_of({.before = before, .during = at_clocks(1980, 3201)}), Flags{"sm_clock_below_half"});
    before.sm_clock_counted_mhz = 1975;
    EXPECT_EQ(flags_of({.before = before, .during = at_clocks(1980, 3201)}), Flags{});
}

TEST(Validity, FlagBelowNinetyPercentNamesTheReason) {
    EXPECT_EQ(flags_of({.during = at_clocks(1700, 3201, {"application_clocks"})}),
              Flags{"sm_clock_below_90_percent (application_clocks)"});
    EXPECT_EQ(flags_of({.during = at_clocks(1700, 3201)}), Flags{"sm_clock_below_90_percent (no reason is given)"});
    EXPECT_EQ(flags_of({.during = at_clocks(1782, 3201)}), Flags{});
}

TEST(Validity, MemoryClockBelowItsMaximumIsAFlag) {
    EXPECT_EQ(flags_of({.during = at_clocks(1980, 2619)}), Flags{"memory_clock_below_maximum"});
    EXPECT_EQ(flags_of({.before = at_clocks(1980, 2619), .during = at_clocks(1980, 3201)}), Flags{});
}

TEST(Validity, IdleIsAFlagOnlyUnderLoad) {
    EXPECT_EQ(flags_of({.during = at_clocks(1980, 3201, {"gpu_idle"})}), Flags{"idle_under_load"});
    EXPECT_EQ(flags_of({.after = at_clocks(345, 405, {"gpu_idle"})}), Flags{});
}

TEST(Validity, DataPartlyInL2IsAFlag) {
    const auto touching = [](std::int64_t footprint) {
        return Samples{.peak = {.bytes_per_second = 1, .footprint_bytes = footprint, .l2_bytes = 60}};
    };
    EXPECT_EQ(flags_of(touching(239)), Flags{"partly_in_l2"});
    EXPECT_EQ(flags_of(touching(240)), Flags{});
    EXPECT_EQ(flags_of(touching(0)), Flags{});
}

TEST(Validity, TimerWhoseStepIsMoreThanAPercentOfASampleIsFlagged) {
    const auto ticking = [](std::optional<double> step) {
        return Samples{.batch = 1000, .seconds = {20e-9, 20e-9, 90e-9}, .tick_seconds = step};
    };
    EXPECT_EQ(flags_of(ticking(1e-6)), Flags{"coarse_timer (1000 ns)"}) << "a sample lasts 20 us";
    EXPECT_EQ(flags_of(ticking(0.2e-6)), Flags{});
    EXPECT_EQ(flags_of(ticking(std::nullopt)), Flags{});
    EXPECT_EQ(flags_of({.tick_seconds = 1e-6}), Flags{}) << "nothing was timed";
}

TEST(Validity, ClockThatTheKernelCountedBelowTheReportedOneIsFlagged) {
    const auto counting = [](double cycles, std::optional<double> step = {}) {
        return Samples{.batch = 1000,
                       .seconds = {13.37e-9},
                       .cycles = cycles,
                       .tick_seconds = step,
                       .during = Telemetry{.sm_clock_mhz = 1980, .sm_clock_max_mhz = 1980}};
    };
    EXPECT_EQ(flags_of(counting(24.02)), Flags{"sm_clock_counted (1800 of 1980 MHz)"}) << "mma.sync on an H200";
    EXPECT_EQ(flags_of(counting(26.4)), Flags{});
    EXPECT_EQ(flags_of(counting(24.02, 1e-6)), Flags{"coarse_timer (1000 ns)"}) << "the time is not sure";
    EXPECT_EQ(flags_of({.seconds = {13.37e-9}, .cycles = 24.02}), Flags{}) << "nothing was reported";
}

TEST(Validity, EachFlagIsListedOnce) {
    const Telemetry capped{.reasons = Reasons{"sw_power_cap", "application_clocks"}};
    EXPECT_EQ(flags_of({.before = capped, .after = capped, .flags = {"ecc_errors", "ecc_errors"}}),
              (Flags{"ecc_errors", "sw_power_cap"}));
}

}  // namespace
}  // namespace tocuda
