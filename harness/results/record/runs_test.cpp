// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "record/sections.hpp"

namespace tocuda {
namespace {

Section section(const std::string& run, const std::string& time, const std::string& resumes = "",
                const std::string& digest = "") {
    Section made;
    made.run.run = run;
    made.run.time = time;
    if (!resumes.empty()) made.run.resumes = resumes;
    made.digest = digest.empty() ? run + " at " + time : digest;
    return made;
}

std::vector<std::vector<std::string>> names_of(const std::vector<Recording>& recordings) {
    std::vector<std::vector<std::string>> names;
    for (const auto& run : runs_of(recordings)) {
        names.emplace_back();
        for (const auto& place : run) names.back().push_back(place.section->run.run);
    }
    return names;
}

using Names = std::vector<std::vector<std::string>>;

TEST(JudgeRuns, JoinsResumedSectionsInAnyOrder) {
    EXPECT_EQ(
        names_of({{"f", {section("a", "1"), section("b", "2", "a"), section("c", "3", "b"), section("d", "1")}, {}}}),
        (Names{{"a", "b", "c"}, {"d"}}));
    EXPECT_EQ(names_of({{"f", {section("c", "3", "b"), section("b", "2", "a")}, {}}, {"g", {section("a", "1")}, {}}}),
              (Names{{"a", "b", "c"}}));
}

TEST(JudgeRuns, KeepsSectionApartIfResumedRunIsMissing) {
    EXPECT_EQ(names_of({{"f", {section("b", "2", "a"), section("c", "3", "x")}, {}}}), (Names{{"b"}, {"c"}}));
}

TEST(JudgeRuns, CountsRepeatedSectionOnce) {
    EXPECT_EQ(names_of({{"f", {section("a", "1", "", "00")}, {}},
                        {"g", {section("a", "1", "", "00"), section("b", "2", "", "01")}, {}}}),
              (Names{{"a"}, {"b"}}));
}

TEST(JudgeRuns, KeepsAlteredCopyAsSecondSectionOfSameRun) {
    EXPECT_EQ(names_of({{"f", {section("a", "1", "", "00")}, {}}, {"g", {section("a", "1", "", "01")}, {}}}),
              (Names{{"a", "a"}}));
}

TEST(JudgeRuns, ToleratesRunsThatResumeEachOther) {
    EXPECT_EQ(names_of({{"f", {section("a", "1", "b"), section("b", "2", "a"), section("c", "3", "c")}, {}}}).size(),
              3U);
}

}  // namespace
}  // namespace tocuda
