// tocuda, Apache-2.0.
// What happens to the sets of a process, given what it wrote and how it ended.
#include "execution/measuring.hpp"

#include <gtest/gtest.h>

#include "json_lines/worker_lines.hpp"

namespace tocuda {
namespace {

const Parameters small{{"bytes", 4}};
const Parameters large{{"bytes", 4096}};
const Parameters largest{{"bytes", 65536}};

std::string line(const Parameters& set, Status status = Status::ok) {
    return to_line(Samples{.parameters = set, .status = status, .clock = Clock::host, .seconds = {1e-6}});
}

Measuring measuring(const std::vector<std::string>& said, std::vector<std::string> gpus = {}) {
    Measuring child(Clock::host, {small, large, largest}, std::move(gpus));
    for (const auto& text : said) child.hear(text);
    return child;
}

Ended exited(int code, const std::string& stderr_tail = "") {
    Ended ended;
    ended.outcome = {.ended = "exit", .code = code, .seconds = 0.5};
    ended.stderr_tail = stderr_tail;
    return ended;
}

TEST(Measuring, SuccessLeavesNothing) {
    const auto finish = measuring({line(small), line(large), line(largest)}).finish(exited(0));
    EXPECT_FALSE(finish.at_hand);
    EXPECT_TRUE(finish.left_over.empty());
    EXPECT_FALSE(finish.abnormal);
}

TEST(Measuring, AcceptsAnswersInAnyOrder) {
    auto child = measuring({});
    EXPECT_TRUE(child.hear(line(largest)));
    EXPECT_TRUE(child.hear(line(small)));
    EXPECT_EQ(child.finish(exited(0)).at_hand->parameters, large);
}

TEST(Measuring, CrashFailsCurrentSetAndLeavesRest) {
    Ended ended;
    ended.outcome = {.ended = "signal", .code = 11, .seconds = 0.5};
    const auto finish = measuring({line(small)}).finish(ended);
    ASSERT_TRUE(finish.at_hand);
    EXPECT_EQ(finish.at_hand->parameters, large);
    EXPECT_EQ(finish.at_hand->status, Status::crashed);
    EXPECT_EQ(finish.left_over, std::vector<Parameters>{largest});
    EXPECT_TRUE(finish.abnormal);
}

TEST(Measuring, ReportedStickyErrorIsNotRecordedTwice) {
    const auto finish = measuring({line(small), line(large, Status::failed)}).finish(exited(71));
    EXPECT_FALSE(finish.at_hand);
    EXPECT_EQ(finish.left_over, std::vector<Parameters>{largest});
    EXPECT_TRUE(finish.abnormal);
}

TEST(Measuring, UnreportedStickyErrorFailsCurrentSet) {
    const auto finish = measuring({line(small)}).finish(exited(71, "first\nan illegal memory access\n"));
    EXPECT_EQ(finish.at_hand->parameters, large);
    EXPECT_EQ(finish.at_hand->status, Status::failed);
    EXPECT_NE(finish.at_hand->check.find("an illegal memory access"), std::string::npos) << finish.at_hand->check;
}

TEST(Measuring, DeadlineIsTimeout) {
    Ended ended;
    ended.outcome = {.ended = "timeout", .seconds = 60};
    EXPECT_EQ(measuring({}).finish(ended).at_hand->status, Status::timeout);
}

TEST(Measuring, ProcessThatDidNotStartFailed) {
    Ended ended;
    ended.outcome = {.ended = "not_started", .stopped = "no such file"};
    const auto finish = measuring({}).finish(ended);
    EXPECT_EQ(finish.at_hand->status, Status::failed);
    EXPECT_NE(finish.at_hand->check.find("no such file"), std::string::npos);
}

TEST(Measuring, CrashAfterLastLineIsRecorded) {
    Ended ended;
    ended.outcome = {.ended = "signal", .code = 11};
    const auto finish = measuring({line(small), line(large), line(largest)}).finish(ended);
    EXPECT_EQ(finish.at_hand->status, Status::crashed);
    EXPECT_TRUE(finish.at_hand->check.starts_with("after the last set was measured"));
}

TEST(Measuring, FaultsNameBadLine) {
    EXPECT_EQ(measuring({line(small), "{"}).fault(), "descriptor 3, line 2: not JSON");
    EXPECT_NE(measuring({line(small), line(small)}).fault().find("not requested: bytes=4"), std::string::npos);
    EXPECT_NE(measuring({line({})}).fault().find("a set without parameters"), std::string::npos);
    EXPECT_NE(measuring({to_line(Samples{.parameters = small, .clock = Clock::device})}).fault().find("another clock"),
              std::string::npos);
    EXPECT_NE(measuring({to_line(Samples{.parameters = small, .clock = Clock::host, .gpu = "GPU-2"})}, {"GPU-1"})
                  .fault()
                  .find("measured on GPU-2"),
              std::string::npos);
    EXPECT_EQ(
        measuring({to_line(Samples{.parameters = small, .clock = Clock::host, .gpu = "GPU-1"})}, {"GPU-1"}).fault(),
        "");
}

TEST(Measuring, FaultIsReasonInsteadOfHowProcessEnded) {
    const auto child = measuring({line(small), "{"});
    Ended ended;
    ended.outcome = {.ended = "signal", .code = 15, .stopped = child.fault()};
    const auto finish = child.finish(ended);
    EXPECT_EQ(finish.at_hand->status, Status::failed);
    EXPECT_EQ(finish.at_hand->check, "descriptor 3, line 2: not JSON");
}

}  // namespace
}  // namespace tocuda
