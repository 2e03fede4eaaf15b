// tocuda, Apache-2.0.
// Tests pieces within the timed period, beyond it, and across its ends.
#include <gtest/gtest.h>

#include "measurement/sampling.hpp"

namespace tocuda {
namespace {

TEST(Overlap, CountsPiecesWithinPeriod) { EXPECT_DOUBLE_EQ(passed_within(10, 0, {{2, 1}, {4, 1}, {10, 3}}), 5); }

TEST(Overlap, IgnoresPiecesThatStartTooLate) {
    EXPECT_DOUBLE_EQ(passed_within(4, 0, {{2, 1}, {4, 1}, {6, 1}, {8, 1}}), 2);
}

TEST(Overlap, CountsShareOfPieceThatEndsLater) { EXPECT_DOUBLE_EQ(passed_within(5, 0, {{2, 1}, {4, 1}, {6, 1}}), 2.5); }

// The piece from 4 to 5.5 had the link to itself for part of the time, and was faster than the two before it.
TEST(Overlap, AssumesPieceThatEndsLaterWasNoFasterThanBefore) {
    EXPECT_DOUBLE_EQ(passed_within(5, 0, {{2, 1}, {4, 1}, {5.5, 1}}), 2.5);
}

TEST(Overlap, CountsShareOfPieceThatStartsEarlier) { EXPECT_DOUBLE_EQ(passed_within(4, -1, {{1, 1}, {3, 1}}), 1.5); }

TEST(Overlap, CountsNothingAfterLastPiece) { EXPECT_DOUBLE_EQ(passed_within(100, 0, {{2, 1}, {4, 1}}), 2); }

// Two pieces may end closer together than events can resolve.
TEST(Overlap, IgnoresPieceOfNoDuration) { EXPECT_DOUBLE_EQ(passed_within(4, 0, {{2, 1}, {2, 1}, {4, 1}}), 2); }

TEST(Overlap, IsZeroWithoutPieces) { EXPECT_EQ(passed_within(4, 0, {}), 0); }

}  // namespace
}  // namespace tocuda
