// tocuda, Apache-2.0.
// Commands in this process's place: their exit codes, and a limit of time.
#include "process/foreground.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace tocuda {
namespace {

using std::chrono::seconds;

int code_of(const std::string& script, std::optional<seconds> limit = {}) {
    return run_in_foreground({"/bin/sh", "-c", script}, {}, limit).value_or(ForegroundEnd{-1}).code;
}

TEST(Foreground, HasTheCodeOfTheCommandOrOfItsSignal) {
    EXPECT_EQ(code_of("exit 3"), 3);
    EXPECT_EQ(code_of("exit 3", seconds(600)), 3);
    EXPECT_EQ(code_of("kill -TERM $$"), 128 + 15);
    const auto signal_of = [](const std::string& script) {
        return run_in_foreground({"/bin/sh", "-c", script}, {}, {}).value_or(ForegroundEnd{-1}).signal;
    };
    EXPECT_EQ(signal_of("kill -TERM $$"), SIGTERM);
    EXPECT_EQ(signal_of("exit 137"), 0);
}

TEST(Foreground, CommandThatDoesNotEndIsKilledAfterTheLimit) {
    EXPECT_EQ(code_of("while :; do :; done", seconds(0)), code_after_limit);
}

TEST(Foreground, CommandWithALimitThatIgnoresASignalIsKilledSoon) {
    EXPECT_EQ(code_of("trap '' TERM; kill -TERM $PPID; while :; do :; done", seconds(600)), 128 + SIGTERM);
}

TEST(Foreground, TellsWhetherItWasAskedToStop) {
    const auto end_of = [](const char* script) {
        return run_in_foreground({"/bin/sh", "-c", script}, {}).value_or(ForegroundEnd{-1});
    };
    EXPECT_EQ(end_of("kill -TERM $$").stopped_by, 0) << "the command ended itself";
    EXPECT_EQ(end_of("kill -TERM $PPID; sleep 1000").stopped_by, SIGTERM);
    EXPECT_EQ(end_of("trap 'exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.1; done").code, 3);
}

TEST(Foreground, ASignalReachesWhatTheCommandStarted) {
    int held[2];
    ASSERT_EQ(::pipe(held), 0);
    code_of("sleep 1000 & kill -TERM $PPID; wait");
    ::close(held[1]);
    pollfd end{held[0], POLLIN, 0};
    EXPECT_EQ(::poll(&end, 1, 30'000), 1) << "'sleep' still holds its end of the pipe";
    ::close(held[0]);
}

TEST(Foreground, WhatTheCommandStartedIsKilledWithItAfterTheLimit) {
    int held[2];
    ASSERT_EQ(::pipe(held), 0);
    code_of("sleep 1000 & while :; do :; done", seconds(1));
    ::close(held[1]);
    pollfd end{held[0], POLLIN, 0};
    EXPECT_EQ(::poll(&end, 1, 30'000), 1) << "'sleep' still holds its end of the pipe";
    ::close(held[0]);
}

TEST(Foreground, CommandThatCannotBeStartedIsAProblem) {
    EXPECT_FALSE(run_in_foreground({"/nowhere/program"}, {}).has_value());
}

}  // namespace
}  // namespace tocuda
