// tocuda, Apache-2.0.
// A process among others, of which the test plays one: how long it keeps its GPU busy, and what it says where another
// is missing.
#include "measurement/company.hpp"

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
    std::function<void()> other{};  // at each batch of ours
};

TEST_F(OfTwo, ItsGpuIsBusyFromBeforeTheFirstSampleOfAnyUntilAfterTheLastOfAll) {
    other = [this] {
        if (batches == calibrating + 5) ++meeting.arrivals;
        if (batches == calibrating + 5 + samples_taken + 4) ++meeting.finishes;
    };
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::ok) << samples.check;
    EXPECT_EQ(samples.seconds.size(), 3U) << "what only keeps it busy is no sample";
    EXPECT_EQ(batches, calibrating + 5 + samples_taken + 4);
    EXPECT_EQ(meeting.arrivals, 2U);
    EXPECT_EQ(meeting.finishes, 2U);
}

TEST_F(OfTwo, WhereTheOtherHasNothingToMeasureNothingIsMeasured) {
    meeting.unready = 1;
    meeting.arrivals = 1;
    meeting.finishes = 1;
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::skipped);
    EXPECT_EQ(samples.check, "1 GPU beside it could not take part");
    EXPECT_TRUE(samples.seconds.empty());
}

TEST_F(OfTwo, WhatWasMeasuredBesideAFailureCountsForNothing) {
    meeting.arrivals = 1;
    other = [this] {
        if (batches != calibrating + 1) return;
        meeting.failures = 1;
        meeting.finishes = 1;
    };
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::failed);
    EXPECT_EQ(samples.check, "1 GPU beside it failed while this one was measured");
}

TEST_F(OfTwo, OneThatHasEndedIsNotWaitedFor) {
    meeting.left = 1;
    const auto samples = measured();
    EXPECT_EQ(samples.status, Status::skipped);
    EXPECT_EQ(samples.check, "the process of a GPU beside it has ended");
}

TEST_F(OfTwo, OneThatEndsWhileThisIsMeasuredSpoilsIt) {
    meeting.arrivals = 1;
    other = [this] {
        if (batches == calibrating + 1) meeting.left = 1;
    };
    EXPECT_EQ(measured().status, Status::failed);
}

TEST_F(OfTwo, OneThatEndsAfterItHasFinishedSpoilsNothing) {
    meeting.arrivals = 1;
    meeting.finishes = 1;
    other = [this] {
        if (batches == calibrating + 1) meeting.left = 1;
    };
    EXPECT_EQ(measured().status, Status::ok);
}

TEST_F(OfTwo, TheOtherLearnsThatThisHasNothingToMeasure) {
    meeting.arrivals = 1;
    meeting.finishes = 1;
    EXPECT_EQ(measured(404).status, Status::skipped);
    EXPECT_EQ(meeting.unready, 1U);
    EXPECT_EQ(meeting.failures, 1U);
    EXPECT_EQ(meeting.arrivals, 2U);
}

TEST_F(OfTwo, WhatWasWrongWithOneGroupIsOverWithIt) {
    meeting.unready = 1;
    meeting.failures = 1;
    meeting.arrivals = 1;
    meeting.finishes = 1;
    EXPECT_EQ(measured().status, Status::skipped);
    meeting.arrivals += 1;
    meeting.finishes += 1;
    EXPECT_EQ(measured().status, Status::ok);
}

TEST(CompanyOfThisProcess, IsNoneWhereNothingNamesItsPlace) { EXPECT_EQ(company_of_this_process(), nullptr); }

TEST(CompanyOfThisProcess, IsNotTakenForNoneWhereItsPlaceIsMissing) {
    ::setenv(meeting_variable, "/nowhere/at/all", 1);
    EXPECT_THROW(company_of_this_process(), std::exception);
    ::unsetenv(meeting_variable);
}

}  // namespace
}  // namespace tocuda
