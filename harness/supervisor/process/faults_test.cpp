// tocuda, Apache-2.0.
// Runs workers that fail in every way: each ends, is reported, and leaves no process behind.
#include <gtest/gtest.h>

#include "process/guarded_test.hpp"

namespace tocuda {
namespace {

using guarded::Heard;

// Runs a scenario of the faulty worker under a unique mark and checks that it left no process.
Heard run_marked(const std::string& scenario, double seconds = 30, std::int64_t resident_bytes = 0) {
    const auto mark = guarded::new_mark();
    auto child = guarded::faulty(scenario);
    child.environment = guarded::environment_with(mark);
    child.seconds = seconds;
    child.resident_bytes = resident_bytes;
    auto heard = guarded::run(child);
    EXPECT_EQ(guarded::processes_with(mark).size(), 0u) << "processes left behind by " << scenario;
    return heard;
}

TEST(Faults, WorkingWorkerEndsNormally) {
    const auto heard = run_marked("fine");
    EXPECT_TRUE(heard.ends[0].outcome.normal()) << describe_end(heard.ends[0].outcome) << heard.ends[0].stderr_tail;
    EXPECT_EQ(heard.lines.size(), 2u);
}

struct Crash {
    std::string scenario;
    int signal;
};

class Crashes : public testing::TestWithParam<Crash> {};

TEST_P(Crashes, EndBySignalAndKeepEarlierLines) {
    const auto heard = run_marked(GetParam().scenario);
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.code, GetParam().signal);
    EXPECT_EQ(heard.ends[0].outcome.stopped, "");
    EXPECT_EQ(heard.lines.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Faults, Crashes,
                         testing::Values(Crash{"segv", 11}, Crash{"abrt", 6}, Crash{"kill", 9}, Crash{"bus", 7}),
                         [](const auto& test) { return test.param.scenario; });

TEST(Faults, HangThatIgnoresSigtermEndsAtDeadline) {
    const auto heard = run_marked("hang", 0.5);
    EXPECT_EQ(heard.ends[0].outcome.ended, "timeout");
    EXPECT_EQ(heard.ends[0].outcome.code, 9);
    EXPECT_GE(heard.ends[0].outcome.seconds, 0.5);
    EXPECT_EQ(heard.lines.size(), 1u);
}

TEST(Faults, GarbageArrivesUnchanged) {
    const auto heard = run_marked("garbage");
    ASSERT_EQ(heard.lines.size(), 5u);
    EXPECT_EQ(heard.lines[0], "this is not JSON");
    EXPECT_EQ(heard.lines[2], "\xff\xfe");
}

TEST(Faults, IncompleteLineIsTornNotALine) {
    const auto heard = run_marked("half_line");
    EXPECT_EQ(heard.lines.size(), 0u);
    EXPECT_EQ(heard.ends[0].torn, R"({"kind":"seen","key":"ha)");
}

TEST(Faults, FloodIsStoppedAtLimit) {
    const auto heard = run_marked("flood");
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.code, 9);
    EXPECT_EQ(heard.ends[0].outcome.stopped, "wrote more than 64 MiB to descriptor 3");
    EXPECT_EQ(heard.lines.size(), 64u);
}

TEST(Faults, EndlessLineIsStopped) {
    const auto heard = guarded::run(guarded::shell("head -c 40000000 /dev/zero >&3"));
    EXPECT_EQ(heard.ends[0].outcome.stopped, "wrote a line of more than 16 MiB to descriptor 3");
    EXPECT_EQ(heard.ends[0].torn.size(), 200u);
}

TEST(Faults, ClosingDescriptorThreeEarlyDoesNotEndTheChild) {
    const auto heard = run_marked("closes_early");
    EXPECT_TRUE(heard.ends[0].outcome.normal());
    EXPECT_EQ(heard.lines.size(), 1u);
}

TEST(Faults, SilentChildEndsWithoutLines) {
    const auto heard = run_marked("says_nothing");
    EXPECT_TRUE(heard.ends[0].outcome.normal());
    EXPECT_EQ(heard.lines.size(), 0u);
}

TEST(Faults, GrandchildIsCountedAndEnded) { EXPECT_EQ(run_marked("grandchild").ends[0].outlived, 1); }

TEST(Faults, GrandchildInItsOwnSessionIsCountedAndEnded) {
    EXPECT_EQ(run_marked("grandchild_own_session").ends[0].outlived, 1);
}

TEST(Faults, GrandchildThatKeepsForkingIsCaught) {
    EXPECT_TRUE(run_marked("grandchild_hops").ends[0].outcome.normal());
}

TEST(Faults, FullStderrDoesNotBlockAndKeepsItsTail) {
    const auto heard = run_marked("fills_stderr");
    EXPECT_TRUE(heard.ends[0].outcome.normal());
    EXPECT_EQ(heard.ends[0].stderr_tail.size(), 4096u);
    EXPECT_TRUE(heard.ends[0].stderr_tail.ends_with("the last words"));
}

TEST(Faults, GrowingMemoryEndsAtLimit) {
    const auto heard = run_marked("eats_memory", 30, std::int64_t{200} << 20);
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.code, 9);
    EXPECT_EQ(heard.ends[0].outcome.stopped, "resident memory over 200 MiB");
    EXPECT_GT(heard.ends[0].peak_resident_bytes, std::int64_t{200} << 20);
}

TEST(Faults, KilledGuardianIsReportedAndItsChildrenEnded) {
    const auto heard = run_marked("kills_guardian");
    EXPECT_EQ(heard.ends[0].outcome.ended, "signal");
    EXPECT_EQ(heard.ends[0].outcome.stopped, "the guardian was killed");
}

}  // namespace
}  // namespace tocuda
