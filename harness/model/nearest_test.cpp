// tocuda, Apache-2.0.
// Edit distances, and what is near enough to be offered.
#include "model/nearest.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(EditsBetween, EqualNamesAreNoneApart) { EXPECT_EQ(edits_between("fragmentation", "fragmentation"), 0u); }

TEST(EditsBetween, CaseIsNoEdit) { EXPECT_EQ(edits_between("h200", "H200"), 0u); }

TEST(EditsBetween, OneForEachInsertionDeletionAndChange) {
    EXPECT_EQ(edits_between("H20", "H200"), 1u);
    EXPECT_EQ(edits_between("H2000", "H200"), 1u);
    EXPECT_EQ(edits_between("H300", "H200"), 1u);
}

TEST(EditsBetween, ASwapOfNeighboursIsOne) { EXPECT_EQ(edits_between("lsit", "list"), 1u); }

TEST(EditsBetween, AnEmptyNameIsAsFarAsTheOtherIsLong) {
    EXPECT_EQ(edits_between("", "run"), 3u);
    EXPECT_EQ(edits_between("run", ""), 3u);
}

TEST(EditsBetween, IsTheSameBothWays) { EXPECT_EQ(edits_between("kitten", "sitting"), edits_between("sitting", "kitten")); }

TEST(Nearest, OffersTheLeastEdited) { EXPECT_EQ(nearest("--simulat", {"--seed", "--simulate", "--strict"}), "--simulate"); }

TEST(Nearest, OffersTheFirstOfEquals) { EXPECT_EQ(nearest("B100", {"H100", "A100"}), "H100"); }

TEST(Nearest, OffersWhatWasBegun) { EXPECT_EQ(nearest("a100", {"H100-SXM", "A100-40", "A100-80"}), "A100-40"); }

TEST(Nearest, OffersNothingWhereNothingIsNear) { EXPECT_EQ(nearest("lots", {"H200", "A100-40"}), std::nullopt); }

TEST(Nearest, OffersNothingForAnEmptyName) { EXPECT_EQ(nearest("", {"T4"}), std::nullopt); }

TEST(Nearest, OffersNothingOfNothing) { EXPECT_EQ(nearest("run", {}), std::nullopt); }

TEST(Suggestion, IsAQuestionOrNothing) {
    EXPECT_EQ(suggestion("H20", {"H200"}), "; did you mean 'H200'?");
    EXPECT_EQ(suggestion("lots", {"H200"}), "");
}

}  // namespace
}  // namespace tocuda
