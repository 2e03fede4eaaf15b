// tocuda, Apache-2.0.
// Which rounds form a pair.
#include <gtest/gtest.h>

#include "comparison_input/paired_rows.hpp"

namespace tocuda {
namespace {

MeasurementRow row(int round, double seconds, Status status = Status::ok) {
    return {.benchmark = "fake/x",
            .id = "0",
            .round = round,
            .process = round - 1,
            .samples = {.status = status, .check = "as told", .seconds = {seconds}}};
}

PairedRow paired(const std::vector<MeasurementRow>& before, const std::vector<MeasurementRow>& after) {
    std::vector<const MeasurementRow*> old_side;
    std::vector<const MeasurementRow*> new_side;
    for (const auto& one : before) old_side.push_back(&one);
    for (const auto& one : after) new_side.push_back(&one);
    return pair_rounds(old_side, new_side);
}

TEST(RoundPairs, FirstAndFreshRoundsAreKeptApart) {
    const auto pairs = paired({row(1, 1), row(6, 2), row(7, 3)}, {row(7, 6), row(1, 4), row(6, 5)});
    EXPECT_EQ(pairs.invalid, "");
    EXPECT_EQ(pairs.first, (std::vector<Round>{{1, 4}, {2, 5}}));
    EXPECT_EQ(pairs.fresh, (std::vector<Round>{{3, 6}}));
}

TEST(RoundPairs, RoundWithoutAPartnerDoesNotCount) {
    EXPECT_EQ(paired({row(1, 1), row(2, 1)}, {row(2, 1), row(3, 1)}).first.size(), 1U);
    EXPECT_EQ(
        paired({row(1, 1), row(2, 1, Status::crashed), row(3, 1)}, {row(1, 1), row(2, 1), row(3, 1)}).first.size(), 2U);
}

TEST(RoundPairs, WrongResultOnEitherSideMakesTheRowInvalid) {
    EXPECT_EQ(paired({row(1, 1)}, {row(1, 1, Status::wrong)}).invalid, "wrong in the new build: as told");
    EXPECT_EQ(paired({row(1, 1), row(2, 1, Status::wrong)}, {row(1, 1)}).invalid, "wrong in the old build: as told");
}

TEST(RoundPairs, ReportsASideWithoutRows) {
    EXPECT_EQ(paired({}, {row(1, 1)}).invalid, "not measured by the old build");
}

}  // namespace
}  // namespace tocuda
