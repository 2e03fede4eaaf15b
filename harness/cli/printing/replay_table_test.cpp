// tocuda, Apache-2.0.
// Where all of what a program held comes from, in words.
#include "printing/replay_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tocuda {
namespace {

constexpr std::int64_t mib = 1 << 20;

TEST(LiveParts, AddUpToAllThatLibTorchCounts) {
    ReplayPeak peak{.blocks_bytes = 100 * mib, .before_bytes = 20 * mib, .without_line_bytes = 10 * mib};
    for (int line = 1; line <= 6; ++line) peak.live.push_back({"train.py:" + std::to_string(line), (17 - line) * mib});
    peak.live[5].bytes = 1 * mib - 1;
    EXPECT_THAT(live_parts(peak, 103 * mib),
                testing::ElementsAre("16 MiB train.py:1", "15 MiB train.py:2", "14 MiB train.py:3", "13 MiB train.py:4",
                                     "12 MiB train.py:5", "10 MiB without a line of the program",
                                     "20 MiB from before the recording",
                                     "3 MiB at the ends of blocks, which are not split for less than 1 MiB"));
    peak.blocks_bytes += 5 * mib;
    EXPECT_THAT(live_parts(peak, peak.blocks_bytes), testing::Contains("5 MiB by other lines"));
}

Replayed recorded(bool stopped) {
    Replayed replayed{.torch = "2.15.0"};
    replayed.source.stopped = stopped;
    replayed.same.reproduced = true;
    replayed.rows = {{.torch = "2.15.0", .allocated_peak_bytes = 7 * mib, .basis = "exact"}};
    return replayed;
}

TEST(ReplayTable, SaysWhereTheProgramWasStopped) {
    EXPECT_THAT(replay_table(recorded(true), {}, Paper(false)),
                testing::AllOf(testing::HasSubstr("reproduced as far as it was"),
                               testing::HasSubstr("was stopped, or left by os._exit")));
    auto cut = recorded(true);
    cut.source.truncated = true;
    EXPECT_THAT(replay_table(cut, {}, Paper(false)), testing::Not(testing::HasSubstr("os._exit"))) << "it was not";
    EXPECT_THAT(replay_table(recorded(false), {}, Paper(false)), testing::Not(testing::HasSubstr("stopped")));
}

TEST(ReplayTable, SurvivingHasItsPrice) {
    auto flushed = recorded(false);
    flushed.rows.push_back(
        {.torch = "2.15.0", .capacity_bytes = 6 * mib, .survived = true, .retries = 2, .basis = "exact"});
    EXPECT_THAT(replay_table(flushed, {{.name = "6MiB", .bytes = 6 * mib}}, Paper(false)),
                testing::HasSubstr("survives, flushing 2 times"));
}

TEST(ReplayTable, CountsBlocksAsLibTorchDoes) { EXPECT_EQ(allocated_peak(recorded(false)), 7 * mib); }

}  // namespace
}  // namespace tocuda
