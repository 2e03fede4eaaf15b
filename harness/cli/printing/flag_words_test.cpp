// tocuda, Apache-2.0.
// Whatever tocuda flags by a word of its own has a sentence for people.
#include "printing/flag_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/forecast.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

bool is_a_sentence(const std::string& words) {
    return words.find('_') == std::string::npos && std::ranges::count(words, ' ') >= 3;
}

// Samples with everything that is flagged by a word.
Samples flagged() {
    const std::vector<std::string> reasons{"sw_power_cap", "hw_slowdown",    "sync_boost",   "sw_thermal",
                                           "hw_thermal",   "hw_power_brake", "display_clock"};
    Telemetry low{.sm_clock_mhz = 900, .memory_clock_mhz = 10, .sm_clock_max_mhz = 1000, .memory_clock_max_mhz = 20};
    low.sm_clock_mhz = 800;
    low.reasons = reasons;
    low.foreign_processes = 1;
    low.link_width = 8;
    low.violation_ns = {{"board_limit", 9}, {"reliability", 9}};
    Telemetry before = low;
    before.violation_ns = {{"board_limit", 0}, {"reliability", 0}};
    return {.peak = {.bytes_per_second = 1, .footprint_bytes = 2, .l2_bytes = 1}, .before = before, .after = low};
}

TEST(FlagWords, EveryFlagOfTelemetryHasASentence) {
    const auto flags = flags_of(flagged(), {.width_max = 16});
    EXPECT_GE(flags.size(), 14U);
    for (const auto& flag : flags) {
        if (flag.code == "sm_clock_below_90_percent") continue;  // names the driver's reasons
        EXPECT_TRUE(is_a_sentence(flag_in_words(flag))) << Flag(flag).text() << ": " << flag_in_words(flag);
    }
}

TEST(FlagWords, FlagsOfTheWorkersAndOfTheBudgetHaveASentence) {
    for (const auto& flag : {std::string(load_ended_early), std::string(budget_word), std::string(sm_clock_below_half),
                             std::string("beside_ended_early"), std::string("link_maximum_disputed"),
                             std::string("mig_instance"), std::string("mps_server"), std::string("clock_not_seen"),
                             std::string("clock_not_steady"), std::string("idle_under_load"), std::string("no_gate"),
                             std::string("not_read_under_load"), std::string("pcie_replays"),
                             std::string("ecc_corrected"), std::string("ecc_uncorrected"), std::string("xid (79)"),
                             std::string("coarse_timer (1000 ns)"), std::string("sm_clock_counted (1800 of 1980 MHz)")})
        EXPECT_TRUE(is_a_sentence(flag_in_words(flag))) << Flag(flag).text() << ": " << flag_in_words(flag);
}

TEST(FlagWords, ReasonsOfALowClockAreKeptAndSentencesStay) {
    EXPECT_EQ(flag_in_words("sm_clock_below_90_percent (sw_power_cap)"),
              "the SM clock was below 90 % of its maximum (sw_power_cap)");
    EXPECT_EQ(flag_in_words("NCCL 2.28, 2 GPUs"), "NCCL 2.28, 2 GPUs");
}

}  // namespace
}  // namespace tocuda
