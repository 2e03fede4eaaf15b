// tocuda, Apache-2.0.
// Pieces within the time that counts, beyond it, and across its ends.
#include "measurement/overlap.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(Overlap, WhatEndsInTimeCountsWhole) { EXPECT_DOUBLE_EQ(passed_within(10, 0, {{2, 1}, {4, 1}, {10, 3}}), 5); }

TEST(Overlap, WhatBeginsTooLateDoesNotCount) {
    EXPECT_DOUBLE_EQ(passed_within(4, 0, {{2, 1}, {4, 1}, {6, 1}, {8, 1}}), 2);
}

TEST(Overlap, WhatEndsLaterCountsByItsTimeWithin) {
    EXPECT_DOUBLE_EQ(passed_within(5, 0, {{2, 1}, {4, 1}, {6, 1}}), 2.5);
}

// 4 to 5.5: half of it was alone on the link, and faster than the two before it.
TEST(Overlap, WhatEndsLaterIsTakenToBeNoFasterThanBefore) {
    EXPECT_DOUBLE_EQ(passed_within(5, 0, {{2, 1}, {4, 1}, {5.5, 1}}), 2.5);
}

TEST(Overlap, WhatBeganEarlierCountsByItsTimeWithin) { EXPECT_DOUBLE_EQ(passed_within(4, -1, {{1, 1}, {3, 1}}), 1.5); }

TEST(Overlap, WhatEndsEarlyLeavesTheRestEmpty) { EXPECT_DOUBLE_EQ(passed_within(100, 0, {{2, 1}, {4, 1}}), 2); }

// Events may resolve less than what lies between them.
TEST(Overlap, MomentsThatFallTogetherAddNothing) { EXPECT_DOUBLE_EQ(passed_within(4, 0, {{2, 1}, {2, 1}, {4, 1}}), 2); }

TEST(Overlap, OfNothingIsNothing) { EXPECT_EQ(passed_within(4, 0, {}), 0); }

}  // namespace
}  // namespace tocuda
