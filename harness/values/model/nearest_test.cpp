// tocuda, Apache-2.0.
// Edit distances, and which names are near enough to be suggested.
#include "model/nearest.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(EditsBetween, EqualNamesAreZeroApart) { EXPECT_EQ(edits_between("fragmentation", "fragmentation"), 0u); }

TEST(EditsBetween, IgnoresCase) { EXPECT_EQ(edits_between("h200", "H200"), 0u); }

TEST(EditsBetween, CountsEachInsertionDeletionAndChange) {
    EXPECT_EQ(edits_between("H20", "H200"), 1u);
    EXPECT_EQ(edits_between("H2000", "H200"), 1u);
    EXPECT_EQ(edits_between("H300", "H200"), 1u);
}

TEST(EditsBetween, SwapOfNeighboursIsOneEdit) { EXPECT_EQ(edits_between("lsit", "list"), 1u); }

TEST(EditsBetween, EmptyNameIsAsFarAsTheOtherIsLong) {
    EXPECT_EQ(edits_between("", "run"), 3u);
    EXPECT_EQ(edits_between("run", ""), 3u);
}

TEST(EditsBetween, IsSymmetric) { EXPECT_EQ(edits_between("kitten", "sitting"), edits_between("sitting", "kitten")); }

TEST(Nearest, ReturnsFewestEdits) {
    EXPECT_EQ(nearest("--simulat", {"--seed", "--simulate", "--strict"}), "--simulate");
}

TEST(Nearest, ReturnsFirstOfEquals) { EXPECT_EQ(nearest("B100", {"H100", "A100"}), "H100"); }

TEST(Nearest, PrefersPrefix) { EXPECT_EQ(nearest("a100", {"H100-SXM", "A100-40", "A100-80"}), "A100-40"); }

TEST(Nearest, ReturnsNothingIfNoneIsNear) { EXPECT_EQ(nearest("lots", {"H200", "A100-40"}), std::nullopt); }

TEST(Nearest, ReturnsNothingForEmptyName) { EXPECT_EQ(nearest("", {"T4"}), std::nullopt); }

TEST(Nearest, ReturnsNothingForEmptyList) { EXPECT_EQ(nearest("run", {}), std::nullopt); }

TEST(Suggestion, IsQuestionOrEmpty) {
    EXPECT_EQ(suggestion("H20", {"H200"}), " (did you mean 'H200'?)");
    EXPECT_EQ(suggestion("lots", {"H200"}), "");
}

}  // namespace
}  // namespace tocuda
