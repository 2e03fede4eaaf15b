// tocuda, Apache-2.0.
// What must survive: each way in which a worker can go wrong ends, says what happened, and leaves no process.
#include <gtest/gtest.h>

#include "process/guarded_test.hpp"

namespace tocuda {
namespace {

using guarded::Heard;

// Runs a scenario of the faulty worker under a mark of its own, and looks for what it left.
Heard run_marked(const std::string& scenario, double seconds = 30, std::int64_t resident_bytes = 0) {
    const auto mark = guarded::new_mark();
    auto child = guarded::faulty(scenario);
    child.environment = guarded::environment_with(mark);
    child.seconds = seconds;
    child.resident_bytes = resident_bytes;
    auto heard = guarded::run(child);
    EXPECT_EQ(guarded::processes_with(mark).size(), 0u) << "processes left by " << scenario;
    return heard;
}

TEST(Faults, AWorkerThatWorksEndsNormally) {
    const auto heard = run_marked("fine");
    EXPECT_TRUE(heard.ends[0].outcome.normal()) << describe_end(heard.ends[0].outcome) << heard.ends[0].stderr_tail;
    EXPECT_EQ(heard.lines.size(), 2u);
}

struct Crash {
    std::string scenario;
    int signal;
};

class Crashes : public testing::TestWithParam<Crash> {};

TEST_P(Crashes, EndBySignalAfterWhatWasSaid) {
    const auto heard = run_marked(GetParam().scenario);
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.code, GetParam().signal);
    EXPECT_EQ(heard.ends[0].outcome.stopped, "");
    EXPECT_EQ(heard.lines.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Faults, Crashes,
                         testing::Values(Crash{"segv", 11}, Crash{"abrt", 6}, Crash{"kill", 9}, Crash{"bus", 7}),
                         [](const auto& test) { return test.param.scenario; });

TEST(Faults, AHangThatIgnoresSigtermEndsAtItsDeadline) {
    const auto heard = run_marked("hang", 0.5);
    EXPECT_EQ(heard.ends[0].outcome.ended, "timeout");
    EXPECT_EQ(heard.ends[0].outcome.code, 9);
    EXPECT_GE(heard.ends[0].outcome.seconds, 0.5);
    EXPECT_EQ(heard.lines.size(), 1u);
}

TEST(Faults, GarbageArrivesAsItIs) {
    const auto heard = run_marked("garbage");
    ASSERT_EQ(heard.lines.size(), 5u);
    EXPECT_EQ(heard.lines[0], "this is not JSON");
    EXPECT_EQ(heard.lines[2], "\xff\xfe");
}

TEST(Faults, HalfALineIsTornAndNoLine) {
    const auto heard = run_marked("half_line");
    EXPECT_EQ(heard.lines.size(), 0u);
    EXPECT_EQ(heard.ends[0].torn, R"({"kind":"seen","key":"ha)");
}

TEST(Faults, AFloodIsStoppedAtItsLimit) {
    const auto heard = run_marked("flood");
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.code, 9);
    EXPECT_EQ(heard.ends[0].outcome.stopped, "said more than 64 MiB on descriptor 3");
    EXPECT_EQ(heard.lines.size(), 64u);
}

TEST(Faults, ALineWithoutEndIsStopped) {
    const auto heard = guarded::run(guarded::shell("head -c 40000000 /dev/zero >&3"));
    EXPECT_EQ(heard.ends[0].outcome.stopped, "said a line of more than 16 MiB on descriptor 3");
    EXPECT_EQ(heard.ends[0].torn.size(), 200u);
}

TEST(Faults, ClosingDescriptorThreeEarlyIsNoEnd) {
    const auto heard = run_marked("closes_early");
    EXPECT_TRUE(heard.ends[0].outcome.normal());
    EXPECT_EQ(heard.lines.size(), 1u);
}

TEST(Faults, SayingNothingIsAnEndWithNoLines) {
    const auto heard = run_marked("says_nothing");
    EXPECT_TRUE(heard.ends[0].outcome.normal());
    EXPECT_EQ(heard.lines.size(), 0u);
}

TEST(Faults, AGrandchildIsCountedAndEnded) { EXPECT_EQ(run_marked("grandchild").ends[0].outlived, 1); }

TEST(Faults, AGrandchildInItsOwnSessionIsCountedAndEnded) {
    EXPECT_EQ(run_marked("grandchild_own_session").ends[0].outlived, 1);
}

TEST(Faults, AGrandchildThatForksAndGoesAgainAndAgainIsCaught) {
    EXPECT_TRUE(run_marked("grandchild_hops").ends[0].outcome.normal());
}

TEST(Faults, FillingStderrBlocksNothingAndKeepsItsEnd) {
    const auto heard = run_marked("fills_stderr");
    EXPECT_TRUE(heard.ends[0].outcome.normal());
    EXPECT_EQ(heard.ends[0].stderr_tail.size(), 4096u);
    EXPECT_TRUE(heard.ends[0].stderr_tail.ends_with("the last words"));
}

TEST(Faults, EatingMemoryEndsAtItsLimit) {
    const auto heard = run_marked("eats_memory", 30, std::int64_t{200} << 20);
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.code, 9);
    EXPECT_EQ(heard.ends[0].outcome.stopped, "resident memory over 200 MiB");
    EXPECT_GT(heard.ends[0].peak_resident_bytes, std::int64_t{200} << 20);
}

TEST(Faults, AnEndOfTheGuardianIsSeenAndWhatItWatchedIsEnded) {
    const auto heard = run_marked("kills_guardian");
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.stopped, "the guardian was killed");
}

}  // namespace
}  // namespace tocuda
