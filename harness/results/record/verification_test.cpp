// tocuda, Apache-2.0.
// An untouched file verifies, and edits that break checksums, lines or sections are found. tampering_test.cpp has the
// edits with matching checksums.
#include "record/verification.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "record/verified_text_test.hpp"

namespace tocuda {
namespace {

using made_up::listed;
using made_up::replaced;
using made_up::verified;
using made_up::without_line;

TEST(Verification, UntouchedFileVerifies) {
    const auto verification = verified(made_up::text(made_up::parts()));
    EXPECT_EQ(listed(verification), "");
    EXPECT_TRUE(verification.whole && verification.unaltered);
    EXPECT_EQ(verification.sections.size(), 2U);
    EXPECT_EQ(verification.sections[0].rows, 4);
}

struct Edit {
    const char* name;
    std::function<std::string(const std::string&)> done;
    const char* found;
    bool whole;
    bool unaltered;
};

class Edited : public ::testing::TestWithParam<Edit> {};

TEST_P(Edited, IsFound) {
    const auto& edit = GetParam();
    const auto verification = verified(edit.done(made_up::text(made_up::parts())));
    EXPECT_NE(listed(verification).find(edit.found), std::string::npos) << listed(verification);
    EXPECT_EQ(verification.whole, edit.whole);
    EXPECT_EQ(verification.unaltered, edit.unaltered);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Edited,
    ::testing::Values(
        Edit{"sample", [](const std::string& all) { return replaced(all, "0.0012,", "0.0011,"); },
             "6: the checksum does not match", true, false},
        Edit{
            "verdict",
            [](const std::string& all) { return replaced(all, R"("verdict":"refuted")", R"("verdict":"reproduced")"); },
            "6: the checksum does not match", true, false},
        Edit{"line_removed", [](const std::string& all) { return without_line(all, 3); },
             "5: the end line counts 4 rows but the section has 3", false, false},
        Edit{"line_twice",
             [](const std::string& all) {
                 return replaced(all, to_line(made_up::scenario()) + "\n",
                                 to_line(made_up::scenario()) + "\n" + to_line(made_up::scenario()) + "\n");
             },
             "7: the end line counts 4 rows but the section has 5", false, false},
        Edit{"unknown_row",
             [](const std::string& all) {
                 return replaced(all, to_line(made_up::scenario()) + "\n", "{\"kind\":\"weather\"}\n");
             },
             "6: the checksum does not match", true, false},
        Edit{"checksum", [](const std::string& all) { return replaced(all, R"("sha256":")", R"("sha256":"0)"); },
             "6: the checksum does not match", true, false},
        Edit{"first_end_removed", [](const std::string& all) { return without_line(all, 6); },
             "1: the section of run 11111111 has no end line: it is partial", false, true},
        Edit{"last_end_removed", [](const std::string& all) { return without_line(all, 10); },
             "7: the section of run 22222222 has no end line: it is partial", false, true},
        Edit{"cut_within_a_line", [](const std::string& all) { return all.substr(0, all.size() - 10); },
             "10: the last line is incomplete: the file was cut off", false, true},
        Edit{"row_after_the_end", [](const std::string& all) { return all + to_line(made_up::scenario()) + "\n"; },
             "11: a 'scenario' line after the section's end", false, true},
        Edit{"two_invalid_lines",
             [](const std::string& all) {
                 return replaced(replaced(all, R"("process":0)", R"("process":-1)"), R"("outcome":{)",
                                 R"("outcome":[{)");
             },
             "5: not JSON\n6: the checksum does not match", false, false},
        Edit{"not_a_number", [](const std::string& all) { return replaced(all, "0.0012,", "NaN,"); }, "2: not JSON",
             false, false},
        Edit{"key_twice",
             [](const std::string& all) { return replaced(all, R"("round":1)", R"("round":1,"round":2)"); },
             "2: 'round' appears twice", false, false},
        Edit{"kind_is_not_first",
             [](const std::string& all) {
                 return replaced(all, R"({"kind":"scenario",)", R"({"weather":0,"kind":"scenario",)");
             },
             "5: 'kind' is not the first field", true, false},
        Edit{"second_run_line",
             [](const std::string& all) { return replaced(all, R"("resumes":)", R"("resumes":{}:)"); }, "7: not JSON",
             false, true}),
    [](const auto& of) { return of.param.name; });

TEST(Verification, DamagedRunLineAndItsRowsAreOneProblem) {
    const auto verification = verified(replaced(made_up::text(made_up::parts()), R"("resumes":)", R"("resumes":{}:)"));
    EXPECT_EQ(listed(verification), "7: not JSON\n");
}

TEST(Verification, FilesWithoutAFirstRunLineAreNotWhole) {
    for (const char* text : {"", "[]\n", "garbage\n"})
        EXPECT_FALSE(verify_bytes(text, "f")) << "not a result file at all: " << text;
    for (const char* text : {"{\"kind\":7}\n", "{\"kind\":\"run\""}) {
        const auto verification = verified(text, "f");
        EXPECT_FALSE(verification.whole) << text;
        ASSERT_EQ(verification.problems.size(), 1U) << text;
        EXPECT_EQ(verification.problems[0].line, 1) << text;
    }
}

TEST(Verification, UnknownKindsOfRowsAreANote) {
    const auto text = made_up::text(made_up::parts());
    const auto second = text.find('\n') + 1;
    const auto verification = verified(text.substr(0, second) + "{\"kind\":\"weather\"}\n" + text.substr(second), "f");
    ASSERT_EQ(verification.notes.size(), 1U);
    EXPECT_NE(verification.notes[0].find("line 2: rows of the unknown kind 'weather'"), std::string::npos)
        << verification.notes[0];
}

TEST(Verification, NewerSchemaIsANoteAndOtherFileNamesAreFine) {
    auto parts = made_up::parts();
    parts[0].run.schema = 2;
    const auto verification = verified(made_up::text(parts), "of_a_fleet.jsonl");
    EXPECT_EQ(listed(verification), "");
    ASSERT_EQ(verification.notes.size(), 1U);
    EXPECT_NE(verification.notes[0].find("schema 2 is newer"), std::string::npos);
}

TEST(Verification, AcceptsMergedFilesSortedByRun) {
    auto parts = made_up::parts();
    parts[1].run.resumes.reset();
    parts[1].run.time = "2026-11-21T09:00:00Z";
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
}

// Simulators and fake drivers that a variant's own environment sets up are detected in the child and not listed. Some
// judges use only the outcome.
TEST(Verification, AcceptsUnlistedSimulatorsAndMissingObservations) {
    auto parts = made_up::parts();
    parts[0].scenarios[0].evidence.device = Device::simulated;
    parts[0].scenarios[0].evidence.observations.clear();
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
}

TEST(Verification, EachRepeatedSectionIsAProblem) {
    auto parts = made_up::parts();
    for (int i = 0; i < 3; ++i) parts.push_back(parts[1]);
    EXPECT_EQ(verified(made_up::text(parts)).problems.size(), 3U);
}

TEST(Verification, AcceptsZeroTimesThatTheWorkerMarkedInvalid) {
    auto parts = made_up::parts();
    parts[0].measurements[0].samples.status = Status::invalid;
    parts[0].measurements[0].samples.seconds = {0, 0, 0};
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
}

// It is unknown which of the two clocks is wrong, so the file may be sound.
TEST(Verification, FutureTimeIsANoteUnlessSimulated) {
    made_up::Part part{.run = made_up::run()};
    part.run.time = "2099-01-01T00:00:00Z";
    part.run.device = Device::simulated;
    part.run.driver.flavour = "simulated";
    EXPECT_EQ(verified(made_up::text(part), "f").notes.size(), 0U);
    part.run.device = Device::none;
    part.run.driver.flavour = {};
    const auto verification = verified(made_up::text(part), "f");
    EXPECT_EQ(listed(verification), "");
    ASSERT_EQ(verification.notes.size(), 1U);
    EXPECT_NE(verification.notes[0].find("line 1: the run began at 2099-01-01T00:00:00Z"), std::string::npos)
        << verification.notes[0];
}

TEST(Verification, CitationMatchesOneOfTheSections) {
    const auto verification = verified(made_up::text(made_up::parts()));
    EXPECT_TRUE(check_citation(verification, verification.sections[1].sha256.substr(0, 12)));
    EXPECT_FALSE(check_citation(verification, "0123456789ab"));
    auto altered = made_up::parts();
    altered[0].measurements[0].samples.seconds[0] = 1.19e-3;
    const auto cited = verification.sections[0].sha256.substr(0, 12);
    EXPECT_FALSE(check_citation(verified(made_up::text(altered)), cited)) << "a new checksum makes it another section";
}

TEST(Verification, AllowsForTheClockResolutionNearThePeak) {
    auto parts = made_up::parts();
    auto& small = parts[0].measurements[1].samples;  // 1 MiB: 16.64 us at its peak
    small.seconds.assign(3, 16.2e-6);
    EXPECT_EQ(listed(verified(made_up::text(parts))), "");
    small.seconds.assign(3, 15.2e-6);
    EXPECT_NE(listed(verified(made_up::text(parts))).find("3: "), std::string::npos);
}

}  // namespace
}  // namespace tocuda
