// tocuda, Apache-2.0.
// The progress line of `bench` says how much time is left.
#include "execution/bench_words.hpp"

#include <gtest/gtest.h>

#include "execution/bench_plan.hpp"

namespace tocuda {
namespace {

class ProgressText : public testing::Test {
protected:
    ProgressText() { sweep = {&worker, {.name = "fake/read", .summary = "is made up"}, {{{"bytes", 4}}}}; }

    BenchRounds rounds(double budget) const {
        return {{{.sweep = &sweep, .gpus = {0}}}, protocol_called("quick"), 1, {.seconds = budget}};
    }
    // Measures one process.
    static void measure(BenchRounds& rounds, double elapsed, double seconds) {
        const auto next = rounds.take(elapsed);
        ASSERT_TRUE(next);
        rounds.hear(next->unit, next->round, {.parameters = next->sets.front(), .seconds = {seconds}});
        rounds.ended(*next, 2, {});
    }

    Worker worker{"tocuda-cuda", "/y"};
    Sweep sweep{};
};

TEST_F(ProgressText, SaysHowMuchTimeTheProtocolStillNeeds) {
    auto all = rounds(0);
    measure(all, 0, 1e-3);
    EXPECT_NE(progress_text(all, 1, 1, 2, "").find(", 2 s, about 4 s left"), std::string::npos)
        << "two of three rounds are missing: " << progress_text(all, 1, 1, 2, "");
    measure(all, 2, 1e-3);
    measure(all, 4, 1e-3);
    EXPECT_EQ(progress_text(all, 1, 1, 6, "").find("left"), std::string::npos) << "nobody knows when rows settle";
}

TEST_F(ProgressText, NeverExceedsTheBudget) {
    auto all = rounds(60);
    measure(all, 0, 1e-3);
    EXPECT_NE(progress_text(all, 1, 1, 50, "").find("about 4 s left"), std::string::npos);
    EXPECT_NE(progress_text(all, 1, 1, 57, "").find("at most 3 s left"), std::string::npos)
        << progress_text(all, 1, 1, 57, "");
    EXPECT_NE(progress_text(all, 1, 1, 61, "").find("the time is up"), std::string::npos);
}

}  // namespace
}  // namespace tocuda
