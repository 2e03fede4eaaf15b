// tocuda, Apache-2.0.
// One verdict for each claim, and which rows count as unexpected.
#include "model/tally.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

Row row(std::string name, std::vector<ClaimVerdict> claims) {
    return {.name = std::move(name), .variant = "default", .evidence = {}, .claims = std::move(claims)};
}

TEST(CommonWord, AgreeingVerdictsAreTheVerdict) {
    EXPECT_EQ(common_word({Verdict::refuted, Verdict::refuted}), Verdict::refuted);
}

TEST(CommonWord, DifferingDecidedVerdictsArePartial) {
    EXPECT_EQ(common_word({Verdict::refuted, Verdict::reproduced}), Verdict::partial);
}

TEST(CommonWord, UndecidedVerdictsDoNotOverrideDecidedOne) {
    EXPECT_EQ(common_word({Verdict::skipped, Verdict::reproduced, Verdict::inconclusive}), Verdict::reproduced);
}

TEST(CommonWord, WithoutDecidedVerdictTheWorstCounts) {
    EXPECT_EQ(common_word({Verdict::skipped, Verdict::inconclusive}), Verdict::inconclusive);
    EXPECT_EQ(common_word({Verdict::inconclusive, Verdict::broken}), Verdict::broken);
    EXPECT_EQ(common_word({Verdict::skipped}), Verdict::skipped);
}

TEST(Tally, CountsEachClaimOnceAndUnexpectedByRow) {
    const auto result = tally({row("a/x", {{"000-01", Verdict::refuted, Verdict::reproduced, ""},
                                           {"000-02", Verdict::refuted, Verdict::reproduced, ""}}),
                               row("a/y", {{"000-01", Verdict::refuted, Verdict::refuted, ""}})});
    EXPECT_EQ(result.claims.size(), 2U);
    EXPECT_EQ(result.totals.at(Verdict::refuted), 2);
    EXPECT_EQ(result.unexpected, 1);
    EXPECT_EQ(result.claims[0].unexpected, 1) << "one of its two rows";
    EXPECT_EQ(result.claims[1].unexpected, 1);
}

TEST(Tally, SkippedAndInconclusiveAreNeverUnexpected) {
    const auto result = tally({row("a/x", {{"000-01", Verdict::skipped, Verdict::reproduced, ""}}),
                               row("a/y", {{"000-02", Verdict::inconclusive, Verdict::reproduced, ""}})});
    EXPECT_EQ(result.unexpected, 0);
}

TEST(Tally, BrokenIsUnexpectedEvenIfDeclared) {
    EXPECT_EQ(tally({row("a/x", {{"000-01", Verdict::broken, Verdict::broken, ""}})}).unexpected, 1);
}

Row seen_on(Device device, Verdict verdict, Verdict expected, std::string because) {
    auto one = row("a/x", {{"000-01", verdict, expected, std::move(because)}});
    one.evidence.device = device;
    return one;
}

TEST(Tally, ShortestReasonForTheVerdictSpeaksForTheClaim) {
    const auto result =
        tally({seen_on(Device::none, Verdict::refuted, Verdict::refuted, "a long reason that says the same"),
               seen_on(Device::none, Verdict::inconclusive, Verdict::refuted, "?"),
               seen_on(Device::none, Verdict::refuted, Verdict::refuted, "a short reason")});
    EXPECT_EQ(result.claims.at(0).because, "a short reason");
    EXPECT_EQ(result.claims.at(0).row, 2U);
}

TEST(Tally, RealGpuSpeaksBeforeShorterSimulatedReason) {
    const auto result = tally({seen_on(Device::simulated, Verdict::refuted, Verdict::refuted, "short"),
                               seen_on(Device::real, Verdict::refuted, Verdict::refuted, "not as short")});
    EXPECT_EQ(result.claims.at(0).because, "not as short");
}

TEST(Tally, UnexpectedRowSpeaksBeforeExpectedOnes) {
    const auto result = tally({seen_on(Device::real, Verdict::refuted, Verdict::refuted, "as always"),
                               seen_on(Device::none, Verdict::reproduced, Verdict::refuted, "something new is seen")});
    EXPECT_EQ(result.claims.at(0).verdict, Verdict::partial);
    EXPECT_EQ(result.claims.at(0).because, "something new is seen");
}

TEST(Tally, DifferingRowsBothSpeak) {
    const auto result = tally({seen_on(Device::none, Verdict::reproduced, Verdict::reproduced, "so here"),
                               seen_on(Device::none, Verdict::refuted, Verdict::refuted, "not there")});
    EXPECT_EQ(result.claims.at(0).because, "not there; but so here");
}

}  // namespace
}  // namespace tocuda
