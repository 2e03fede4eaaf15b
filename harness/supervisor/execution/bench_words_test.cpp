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

TEST(ForecastText, SaysWhatIsEnoughWhereTheBudgetIsNot) {
    const Forecast forecast{.benchmarks = 2,
                            .sets = 8,
                            .processes = 12,
                            .seconds = 21,
                            .sets_in_time = 3,
                            .least = 6,
                            .may_take_more = true};
    EXPECT_EQ(forecast_text(forecast, 12, 0),
              "2 benchmarks with 8 parameter sets: 6 processes of each would take about 21 s; the time is limited to "
              "12 s, enough for about 3 of the sets");
    EXPECT_EQ(forecast_text(forecast, 60, 0),
              "2 benchmarks with 8 parameter sets: 6 processes of each in about 21 s, then more until its interval is "
              "narrow, at most 60 s");
}

TEST(ForecastText, SaysWhyBenchmarksAreLeftOut) {
    const auto ends_with = [](const std::string& words, bool quick) {
        const auto text = forecast_text({.benchmarks = 1, .sets = 1, .seconds = 1, .least = 3}, 60, 2, quick);
        return text.ends_with(words) ? "" : text;
    };
    EXPECT_EQ(ends_with("; 2 benchmarks only by name or with --full", false), "");
    EXPECT_EQ(ends_with("; --quick leaves out 2 benchmarks not named in full", true), "");
}

TEST(ForecastText, SaysTheLimitThatWasGiven) {
    for (const auto& [seconds, words] : {std::pair(60.0, "60 s"),
                                         {100, "100 s"},
                                         {150, "150 s"},
                                         {480, "8 minutes"},
                                         {7200, "2 hours"},
                                         {7260, "7260 s"},
                                         {0.5, "0.5 s"}}) {
        EXPECT_NE(forecast_text({.least = 6}, seconds, 0).find(std::string(", at most ") + words), std::string::npos)
            << forecast_text({.least = 6}, seconds, 0);
        EXPECT_NE(
            forecast_text({.seconds = 1e9, .least = 6}, seconds, 0).find(std::string("limited to ") + words + ","),
            std::string::npos);
    }
}

TEST(CutShortText, IsTrueOfWhatWasNotStarted) {
    EXPECT_EQ(cut_short_check({.needed = 14.2, .left = 12}, 6, 12),
              "budget: not started: its benchmark takes about 15 s, and 12 s of 12 s were left");
    EXPECT_EQ(cut_short_check({.needed = 1, .left = -1}, 6, 12),
              "budget: 12 s ran out before this parameter set was reached");
    EXPECT_EQ(cut_short_check({.processes = 2, .needed = 9, .left = 0.5}, 6, 12),
              "budget: stopped after 2 of 6 processes: what is missing of its benchmark takes about 9 s, and less than "
              "1 s of 12 s were left");
    EXPECT_EQ(cut_short_text({{}, {}, {.processes = 2}}, 8, 6, 12, "FILE"),
              "the time budget of 12 s is too short: 2 of 8 parameter sets are missing, and 1 has fewer than 6 "
              "processes; measure them with `tocuda bench --resume FILE`");
}

}  // namespace
}  // namespace tocuda
