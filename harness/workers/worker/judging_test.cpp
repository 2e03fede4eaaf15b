// tocuda, Apache-2.0.
// Tests how the worker handles a judge: every claim gets a ruling, and nothing is decided by accident.
#include "worker/judging.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tocuda {
namespace {

Entry entry(bool judges_ends = false) {
    return {{"dtype/example",
             "an example",
             {{"000-01", "one"}, {"000-02", "two"}},
             {},
             {{.name = "default", .expected = {{"000-01", Verdict::refuted}, {"000-02", Verdict::refuted}}}},
             judges_ends},
            [](Observer&) {},
            [](const Evidence& evidence, Judgement& say) {
                if (evidence.flag("first")) say.refuted("000-01", "first was seen");
                if (evidence.flag("second")) say.refuted("000-02", "second was seen");
            }};
}

Row row(std::vector<Observation> seen, Outcome outcome = {"exit", 0, 0.1}) {
    return {"dtype/example", "default", {.outcome = outcome, .observations = std::move(seen)}, {}};
}

TEST(JudgeRow, RulesOnEachClaimOnce) {
    const auto rulings = judge_row(entry(), row({{"first", true}, {"second", true}}));
    ASSERT_EQ(rulings.size(), 2U);
    EXPECT_EQ(rulings[0].ruling.verdict, Verdict::refuted);
    EXPECT_EQ(rulings[1].ruling.claim, "000-02");
}

TEST(JudgeRow, MissingEvidenceIsNamedAndInconclusive) {
    const auto rulings = judge_row(entry(), row({{"first", true}}));
    EXPECT_EQ(rulings[0].ruling.verdict, Verdict::refuted);
    EXPECT_EQ(rulings[1].ruling.verdict, Verdict::inconclusive);
    EXPECT_EQ(rulings[1].ruling.because, "'second' was not recorded");
}

TEST(JudgeRow, UndecidedClaimIsInconclusive) {
    EXPECT_EQ(judge_row(entry(), row({{"first", false}, {"second", true}}))[0].ruling.verdict, Verdict::inconclusive);
}

TEST(JudgeRow, WhatTheMachineLackedLeavesEveryClaimOpen) {
    const auto rulings = judge_row(entry(), row({{"first", true}, {lacked, "the GPU had only 0.1 GiB free"}}));
    for (const auto& ruling : rulings) {
        EXPECT_EQ(ruling.ruling.verdict, Verdict::inconclusive) << ruling.ruling.claim;
        EXPECT_EQ(ruling.ruling.because, "the GPU had only 0.1 GiB free");
    }
}

TEST(JudgeRow, CrashIsBroken) {
    const auto rulings = judge_row(entry(), row({{"first", true}, {"second", true}}, {"signal", 11, 0.1}));
    EXPECT_EQ(rulings[0].ruling.verdict, Verdict::broken);
    EXPECT_NE(rulings[0].ruling.because.find("SIGSEGV"), std::string::npos);
}

TEST(JudgeRow, ScenarioThatJudgesEndsSeesCrash) {
    const auto rulings = judge_row(entry(true), row({{"first", true}, {"second", true}}, {"signal", 11, 0.1}));
    EXPECT_EQ(rulings[0].ruling.verdict, Verdict::refuted);
}

TEST(JudgeRow, UnknownVariantHasNoRulings) {
    auto unknown = row({});
    unknown.variant = "elsewhere";
    EXPECT_TRUE(judge_row(entry(), unknown).empty());
}

TEST(MappedDrivers, DistinguishesOurLibrariesFromRealDriver) {
    std::istringstream ours("7f r-xp 0 0 0 /x/simulator/driver/libcuda.so.1\n");
    EXPECT_TRUE(mapped_drivers(ours).ours);
    std::istringstream real("7f r-xp 0 0 0 /usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05\n");
    EXPECT_TRUE(mapped_drivers(real).real);
    std::istringstream both("7f /x/simulator/simulated/libcudart.so.13\n7f /usr/lib/libnvidia-ml.so.580.95.05\n");
    const auto mixed = mapped_drivers(both);
    EXPECT_TRUE(mixed.ours && mixed.real);
    std::istringstream runtime("7f r-xp 0 0 0 /opt/nvidia/cu13/lib/libcudart.so.13\n");
    EXPECT_FALSE(mapped_drivers(runtime).real || mapped_drivers(runtime).ours);
}

TEST(MappedDrivers, NamesEachLibcudaOnce) {
    std::istringstream one(
        "7f0 r--p 0 0 0 /opt/compat/libcuda.so.590.44.01\n7f1 r-xp 0 0 0 /opt/compat/libcuda.so.590.44.01\n"
        "7f2 r-xp 0 0 0 /opt/compat/libcudadebugger.so.590.44.01\n7f3 rw-p 0 0 0\n");
    EXPECT_EQ(mapped_libcuda(one), "/opt/compat/libcuda.so.590.44.01");
    std::istringstream two("7f0 r-xp 0 0 0 /a/libcuda.so.1\n7f1 r-xp 0 0 0 /b/libcuda.so.1\n");
    EXPECT_EQ(mapped_libcuda(two), "/a/libcuda.so.1,/b/libcuda.so.1");
    std::istringstream none("7f0 r-xp 0 0 0 /a/libcudart.so.13\n");
    EXPECT_EQ(mapped_libcuda(none), "");
}

}  // namespace
}  // namespace tocuda
