// tocuda, Apache-2.0.
// Commands in this process's place: their exit codes, and a limit of time.
#include "process/foreground.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

using std::chrono::seconds;

int code_of(const std::string& script, std::optional<seconds> limit = {}) {
    return run_in_foreground({"/bin/sh", "-c", script}, {}, limit).value_or(-1);
}

TEST(Foreground, HasTheCodeOfTheCommandOrOfItsSignal) {
    EXPECT_EQ(code_of("exit 3"), 3);
    EXPECT_EQ(code_of("exit 3", seconds(600)), 3);
    EXPECT_EQ(code_of("kill -TERM $$"), 128 + 15);
}

TEST(Foreground, CommandThatDoesNotEndIsKilledAfterTheLimit) {
    EXPECT_EQ(code_of("while :; do :; done", seconds(0)), code_after_limit);
}

TEST(Foreground, CommandThatCannotBeStartedIsAProblem) {
    EXPECT_FALSE(run_in_foreground({"/nowhere/program"}, {}).has_value());
}

}  // namespace
}  // namespace tocuda
