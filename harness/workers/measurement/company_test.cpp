// tocuda, Apache-2.0.
// Tests one process of a group of two; the test plays the other. Covers how long the GPU is kept busy and what is
// reported if the other is missing.
#include <gtest/gtest.h>

#include "measurement/fake_instruments_test.hpp"
#include "measurement/measure_sets.hpp"

namespace tocuda {
namespace {

constexpr int calibrating = 3;  // batches
constexpr int samples_taken = 3;

struct OfTwo : testing::Test {
    OfTwo() { meeting.members = 2; }

    Samples measured(int bytes = 30) {
        const Measurable measurable{{.name = "copy/somehow", .summary = "", .clock = Clock::device},
                                    [](const std::vector<Parameters>&) { return std::make_unique<FakeBench>(); }};
        const Protocol protocol{.launches_min = samples_taken, .launches_max = samples_taken, .launch_budget_s = 0};
        Samples said;
        instruments.batching = [this](const Trial&) {
            ++batches;
            if (other) other();
        };
        measure_sets(
            measurable, {{{"bytes", bytes}}}, protocol, instruments, [&](const Samples& samples) { said = samples; },
            &company);
        return said;
    }

    Meeting meeting;
    Company company{meeting};
    FakeInstruments instruments;
    int batches = 0;
    std::function<void()> other{};  // called at each of our batches
};

TEST_F(OfTwo, KeepsGpuBusyFromFirstSampleOfAnyToLastOfAll) {
    other = [this] {
        if (batches == calibrating + 5) ++meeting.arrivals;
        if (batches == calibrating + 5 + samples_taken + 4) ++meeting.finishes;
    };
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::ok) << samples.check;
    EXPECT_EQ(samples.seconds.size(), 3U) << "operations that only keep the GPU busy are not samples";
    EXPECT_EQ(batches, calibrating + 5 + samples_taken + 4);
    EXPECT_EQ(meeting.arrivals, 2U);
    EXPECT_EQ(meeting.finishes, 2U);
}

TEST_F(OfTwo, SkipsSetIfOtherHasNothingToMeasure) {
    meeting.unready = 1;
    meeting.arrivals = 1;
    meeting.finishes = 1;
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::skipped);
    EXPECT_EQ(samples.check, "1 other GPU could not take part");
    EXPECT_TRUE(samples.seconds.empty());
}

TEST_F(OfTwo, FailsSetIfOtherFails) {
    meeting.arrivals = 1;
    other = [this] {
        if (batches != calibrating + 1) return;
        meeting.failures = 1;
        meeting.finishes = 1;
    };
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::failed);
    EXPECT_EQ(samples.check, "1 other GPU failed while this one was measured");
}

TEST_F(OfTwo, DoesNotWaitForOtherThatHasEnded) {
    meeting.left = 1;
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::skipped);
    EXPECT_EQ(samples.check, "the process of another GPU has ended");
}

TEST_F(OfTwo, FailsSetIfOtherEndsMeanwhile) {
    meeting.arrivals = 1;
    other = [this] {
        if (batches == calibrating + 1) meeting.left = 1;
    };
    EXPECT_EQ(measured().status, Status::failed);
}

TEST_F(OfTwo, IgnoresOtherThatEndsAfterFinishing) {
    meeting.arrivals = 1;
    meeting.finishes = 1;
    other = [this] {
        if (batches == calibrating + 1) meeting.left = 1;
    };
    EXPECT_EQ(measured().status, Status::ok);
}

TEST_F(OfTwo, TellsOtherThatThisHasNothingToMeasure) {
    meeting.arrivals = 1;
    meeting.finishes = 1;
    EXPECT_EQ(measured(404).status, Status::skipped);
    EXPECT_EQ(meeting.unready, 1U);
    EXPECT_EQ(meeting.failures, 1U);
    EXPECT_EQ(meeting.arrivals, 2U);
}

TEST_F(OfTwo, ForgetsFailuresOfPreviousGroup) {
    meeting.unready = 1;
    meeting.failures = 1;
    meeting.arrivals = 1;
    meeting.finishes = 1;
    EXPECT_EQ(measured().status, Status::skipped);
    meeting.arrivals += 1;
    meeting.finishes += 1;
    EXPECT_EQ(measured().status, Status::ok);
}

TEST(CompanyOfThisProcess, IsNullWithoutVariable) { EXPECT_EQ(company_of_this_process(), nullptr); }

TEST(CompanyOfThisProcess, ThrowsIfFileIsMissing) {
    ::setenv(meeting_variable, "/nowhere/at/all", 1);
    EXPECT_THROW(company_of_this_process(), std::exception);
    ::unsetenv(meeting_variable);
}

}  // namespace
}  // namespace tocuda
