// tocuda, Apache-2.0.
// Tests a run of a worker that fails in every known way: all tests share one run, and each looks at one failure.
#include <gtest/gtest.h>

#include <memory>

#include "command/driven_program_test.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

class Survival : public testing::Test {
protected:
    static void SetUpTestSuite() {
        place = std::make_unique<driven::Place>();
        place->add_faulty();
        finished = place->run({"run", "--jobs", "4"});
        left = place->nothing_runs() ? std::vector<std::string>{} : place->processes();
    }
    static void TearDownTestSuite() { place.reset(); }

    static Row row(const std::string& fault) {
        const auto recording = place->recording();
        const auto* found = driven::find_row(recording, "faulty/" + fault);
        if (!found || found->claims.size() != 1) throw std::runtime_error("no row with one claim for " + fault);
        return *found;
    }

    static inline std::unique_ptr<driven::Place> place;
    static inline driven::Finished finished;
    static inline std::vector<std::string> left;
};

struct Fault {
    std::string name;
    std::string because;
};

class SurvivalOf : public Survival, public testing::WithParamInterface<Fault> {};

TEST_P(SurvivalOf, NamesCause) {
    const auto claim = row(GetParam().name).claims[0];
    EXPECT_EQ(claim.verdict, Verdict::broken);
    EXPECT_NE(claim.because.find(GetParam().because), std::string::npos) << claim.because;
}

INSTANTIATE_TEST_SUITE_P(Faults, SurvivalOf,
                         testing::Values(Fault{"segv", "signal 11 (SIGSEGV)"}, Fault{"abrt", "signal 6 (SIGABRT)"},
                                         Fault{"kill", "signal 9 (SIGKILL)"}, Fault{"bus", "signal 7 (SIGBUS)"},
                                         Fault{"hang", "still ran at its deadline"},
                                         Fault{"garbage", "descriptor 3, line 1: not JSON"},
                                         Fault{"half_line", "half a line on descriptor 3"},
                                         Fault{"flood", "line 1: not JSON"},
                                         Fault{"closes_early", "ended before reporting that it was done"},
                                         Fault{"says_nothing", "without writing to descriptor 3"},
                                         Fault{"stays_with_grandchild_in_own_session", "still ran at its deadline"},
                                         Fault{"eats_memory", "resident memory over 200 MiB"},
                                         Fault{"kills_guardian", "the guardian was killed"}),
                         [](const auto& test) { return test.param.name; });

class SurvivesWith : public Survival, public testing::WithParamInterface<std::string> {};

TEST_P(SurvivesWith, ReproducedVerdict) {
    EXPECT_EQ(row(GetParam()).claims[0].verdict, Verdict::reproduced) << row(GetParam()).claims[0].because;
}

INSTANTIATE_TEST_SUITE_P(Faults, SurvivesWith,
                         testing::Values("fine", "grandchild", "grandchild_own_session", "grandchild_hops",
                                         "fills_stderr"),
                         [](const auto& test) { return test.param; });

TEST_F(Survival, OutlivingGrandchildIsEvidence) {
    EXPECT_EQ(row("grandchild").evidence.integer("harness.outlived"), 1);
    EXPECT_EQ(row("grandchild_own_session").evidence.integer("harness.outlived"), 1);
    EXPECT_FALSE(row("fine").evidence.has("harness.outlived"));
}

TEST_F(Survival, EndOfStandardErrorIsKept) {
    EXPECT_TRUE(row("fills_stderr").evidence.stderr_tail.ends_with("the last words"));
}

TEST_F(Survival, EvidenceBeforeCrashIsKept) { EXPECT_EQ(row("segv").evidence.text("before"), "the end"); }

TEST_F(Survival, FileIsWhole) {
    const auto recording = place->recording();
    ASSERT_EQ(recording.sections.size(), 1U);
    const auto& section = recording.sections[0];
    ASSERT_TRUE(section.end);
    EXPECT_EQ(section.end->status, "complete");
    EXPECT_EQ(section.end->rows, static_cast<int>(section.rows.size()));
    EXPECT_EQ(section.rows.size(), 18U);
    EXPECT_EQ(recording.warnings, std::vector<std::string>{});
}

TEST_F(Survival, BrokenRowsAreAFinding) { EXPECT_EQ(finished.code, 1) << finished.err; }

TEST_F(Survival, NoProcessIsLeft) { EXPECT_EQ(left, std::vector<std::string>{}); }

TEST_F(Survival, TableFitsEightyColumns) { EXPECT_LE(driven::widest_line(finished.out), 80U) << finished.out; }

TEST_F(Survival, NoColourWithoutTerminal) { EXPECT_EQ((finished.out + finished.err).find('\x1b'), std::string::npos); }

TEST_F(Survival, JudgingFileAgainGivesSameVerdicts) {
    const auto judged = place->run({"judge", place->files().at(0)});
    EXPECT_EQ(judged.code, 1) << judged.err;
    EXPECT_EQ(judged.out.find(": was "), std::string::npos) << judged.out;
}

// A flood of well-formed lines is still a flood.
TEST(Flood, OfWellFormedLinesIsNamed) {
    driven::Place place;
    const std::vector<Scenario> scenarios{driven::simple_scenario("flood/good")};
    place.add_worker("tocuda-flood", driven::worker_script(scenarios, R"(value=$(head -c 8000000 /dev/zero | tr '\0' x)
for i in 1 2 3 4 5 6 7 8 9 10; do see "key" "$value"; done)"));
    place.run({"run", "--timeout", "600"});  // the amount must end it, however slowly this build reads
    const auto recording = place.recording();
    const auto* row = driven::find_row(recording, "flood/good");
    ASSERT_TRUE(row);
    EXPECT_NE(row->claims.at(0).because.find("wrote more than 64 MiB to descriptor 3"), std::string::npos)
        << row->claims.at(0).because;
}

}  // namespace
}  // namespace tocuda
