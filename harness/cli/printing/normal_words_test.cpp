// tocuda, Apache-2.0.
// The sentence that says whether a machine is as the recorded one.
#include "printing/normal_words.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

AnsweredRow row_of(ChangeVerdict verdict, double change) {
    AnsweredRow row;
    row.change.verdict = verdict;
    row.change.change = change;
    return row;
}

TEST(NormalWords, SayNormalIfNoRowIsSlowerAndAllVerdictsAreTheSame) {
    ChangeReport report;
    report.rows = {row_of(ChangeVerdict::same, 0.001), row_of(ChangeVerdict::faster, -0.1),
                   row_of(ChangeVerdict::invalid, 0)};
    report.claims.compared = 86;
    EXPECT_EQ(normal_words(report, "NVIDIA H200"),
              "normal for NVIDIA H200: none of 2 rows slower; 86 verdicts as recorded");
}

TEST(NormalWords, SayPerhapsWhileRowsAreUndecided) {
    ChangeReport report;
    report.rows = {row_of(ChangeVerdict::undecided, 0.023), row_of(ChangeVerdict::same, 0)};
    EXPECT_EQ(normal_words(report, "NVIDIA H200"),
              "perhaps normal for NVIDIA H200: none of 1 row slower; more starts are needed to decide 1 row, so "
              "far up to 2.3 % slower");
    report.rows = {row_of(ChangeVerdict::undecided, 0.4)};
    EXPECT_EQ(normal_words(report, "NVIDIA H200"),
              "not known to be normal for NVIDIA H200: more starts are needed to decide 1 row, so far up to 40.0 % "
              "slower");
    report.rows = {row_of(ChangeVerdict::undecided, -0.2)};
    EXPECT_EQ(normal_words(report, "NVIDIA H200"),
              "perhaps normal for NVIDIA H200: more starts are needed to decide 1 row, so far none slower");
}

TEST(NormalWords, SayNotNormalIfARowIsSlowerOrAVerdictChanged) {
    ChangeReport report;
    report.rows = {row_of(ChangeVerdict::slower, 0.1), row_of(ChangeVerdict::undecided, 0)};
    EXPECT_EQ(normal_words(report, "NVIDIA H200").substr(0, 44), "not normal for NVIDIA H200: 1 of 2 rows slow");
    report.rows.clear();
    report.claims.compared = 86;
    report.claims.verdicts.resize(2);
    EXPECT_EQ(normal_words(report, "NVIDIA H200"), "not normal for NVIDIA H200: 2 of 86 verdicts changed");
}

TEST(NormalWords, ErrorTextsAloneAreAnExceptionNotAReason) {
    ChangeReport report;
    report.claims.compared = 86;
    report.claims.texts.resize(3);
    EXPECT_EQ(normal_words(report, "no GPU"), "normal for no GPU except for 3 error texts: 86 verdicts as recorded");
}

}  // namespace
}  // namespace tocuda
