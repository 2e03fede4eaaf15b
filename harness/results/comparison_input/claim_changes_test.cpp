// tocuda, Apache-2.0.
// Which differences of verdicts and error texts are changes.
#include <gtest/gtest.h>

#include "comparison_input/made_up_sections_test.hpp"
#include "comparison_input/paired_rows.hpp"

namespace tocuda {
namespace {

Row row_with(Verdict verdict, const std::string& message = "CUDA out of memory. Tried to allocate 1.95 GiB") {
    Row row{.name = "capacity/oversize", .variant = "default"};
    row.evidence.device = Device::real;
    row.evidence.observations = {{"move.threw", !message.empty()}};
    if (!message.empty()) row.evidence.observations.push_back({"move.message", message});
    row.claims = {{"000-07", verdict, Verdict::reproduced, "seen"}};
    return row;
}

std::vector<GatheredSection> side(const std::vector<Row>& rows) {
    RowNames names;
    Gathering gathering(names);
    int number = 0;
    for (const auto& row : rows) {
        gathering.begin(made_up::run_of(++number));
        gathering.add(row);
        gathering.end("digest", true);
    }
    std::vector<std::string> warnings;
    return gathering.finish(warnings);
}

ClaimChanges changes(const std::vector<Row>& before, const std::vector<Row>& after) {
    return claim_changes(side(before), side(after));
}

TEST(ClaimChanges, DifferentVerdictIsAChange) {
    const auto found =
        changes({row_with(Verdict::reproduced), row_with(Verdict::reproduced)}, {row_with(Verdict::refuted)});
    EXPECT_EQ(found.verdicts, (std::vector<VerdictChange>{
                                  {"000-07", "capacity/oversize", "default", Device::real, "reproduced", "refuted"}}));
    EXPECT_EQ(found.compared, 1);
    EXPECT_TRUE(found.texts.empty());
}

TEST(ClaimChanges, VaryingVerdictIsNoChange) {
    const auto found =
        changes({row_with(Verdict::reproduced), row_with(Verdict::partial)}, {row_with(Verdict::refuted)});
    EXPECT_TRUE(found.verdicts.empty());
    EXPECT_EQ(found.varying, 1);
}

TEST(ClaimChanges, VerdictSkippedOnOneSideIsNoChange) {
    const auto found = changes({row_with(Verdict::reproduced)}, {row_with(Verdict::skipped)});
    EXPECT_TRUE(found.verdicts.empty());
    EXPECT_EQ(found.one_side, 1);
    EXPECT_EQ(found.compared, 0);
}

TEST(ClaimChanges, SimulatedAndRealAreNeverPaired) {
    auto simulated = row_with(Verdict::refuted, "another text");
    simulated.evidence.device = Device::simulated;
    const auto found = changes({row_with(Verdict::reproduced)}, {simulated});
    EXPECT_TRUE(found.verdicts.empty());
    EXPECT_TRUE(found.texts.empty());
    EXPECT_EQ(found.one_side, 2);
}

TEST(ClaimChanges, DifferentTextIsAChange) {
    const auto found =
        changes({row_with(Verdict::reproduced)}, {row_with(Verdict::reproduced, "no room left on the device")});
    ASSERT_EQ(found.texts.size(), 1U);
    EXPECT_EQ(found.texts[0],
              (TextChange{"capacity/oversize", "default", Device::real, "move.message",
                          "CUDA out of memory. Tried to allocate 1.95 GiB", "no room left on the device"}));
}

TEST(ClaimChanges, DifferentAmountIsNoChange) {
    EXPECT_TRUE(changes({row_with(Verdict::reproduced)},
                        {row_with(Verdict::reproduced, "CUDA out of memory. Tried to allocate 20.00 MiB")})
                    .texts.empty());
}

TEST(ClaimChanges, VaryingTextIsNoChange) {
    EXPECT_TRUE(changes({row_with(Verdict::reproduced), row_with(Verdict::reproduced, "one of two")},
                        {row_with(Verdict::reproduced, "another")})
                    .texts.empty());
}

TEST(ClaimChanges, NewErrorIsAChange) {
    const auto found = changes({row_with(Verdict::reproduced, "")}, {row_with(Verdict::reproduced, "no room")});
    ASSERT_EQ(found.texts.size(), 1U);
    EXPECT_EQ(found.texts[0].before, "");
    EXPECT_EQ(found.texts[0].after, "no room");
}

}  // namespace
}  // namespace tocuda
