// tocuda, Apache-2.0.
// Damaged evidence never gives an answer.
#include "model/evidence.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

const Evidence seen{.observations = {{"moved", true}, {"bytes", 8}, {"device", "cuda:0"}, {"value", 1.5, false}}};

TEST(Evidence, ReturnsObservedValues) {
    EXPECT_TRUE(seen.flag("moved"));
    EXPECT_EQ(seen.integer("bytes"), 8);
    EXPECT_EQ(seen.number("bytes"), 8.0);
    EXPECT_EQ(seen.text("device"), "cuda:0");
}

TEST(Evidence, MissingKeyThrowsAndIsNamed) {
    try {
        (void)seen.flag("absent");
        FAIL() << "a missing key gave a value";
    } catch (const Undecided& undecided) {
        EXPECT_STREQ(undecided.what(), "'absent' was not recorded");
    }
}

TEST(Evidence, WrongTypeThrows) {
    EXPECT_THROW((void)seen.flag("bytes"), Undecided);
    EXPECT_THROW((void)seen.integer("device"), Undecided);
    EXPECT_THROW((void)seen.text("moved"), Undecided);
}

TEST(Evidence, ValueThatWasNotComputedThrows) { EXPECT_THROW((void)seen.number("value"), Undecided); }

TEST(DescribeEnd, NamesSignalAndReason) {
    EXPECT_EQ(describe_end({"signal", 11, 0.25}), "ended by signal 11 (SIGSEGV) after 0.25 s");
    EXPECT_EQ(describe_end({"not_started", 0, 0, "Permission denied"}), "was not started: Permission denied");
}

TEST(DescribeEnd, EndsWithTheLastLineOfStderr) {
    const Evidence failed{.outcome = {"exit", 70, 0.5}, .stderr_tail = "first\nthe scenario threw: no\n\n"};
    EXPECT_EQ(describe_end(failed), "exit code 70 after 0.50 s; last line of stderr: the scenario threw: no");
}

}  // namespace
}  // namespace tocuda
