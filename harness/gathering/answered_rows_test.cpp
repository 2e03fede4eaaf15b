// tocuda, Apache-2.0.
// Answers for two sides: those of the rules, and no change for starts that are on both sides.
#include <gtest/gtest.h>

#include "comparison/row_comparison.hpp"
#include "gathering/made_up_sections_test.hpp"
#include "gathering/paired_rows.hpp"

namespace tocuda {
namespace {

constexpr int starts = 12;

// Returns starts from this number on, whose times differ by less than 0.1 %.
std::vector<GatheredSection> side(RowNames& names, int first, double seconds) {
    Gathering gathering(names);
    for (int number = first; number < first + starts; ++number) {
        const double own = seconds * (1 + (number * 7 % 5 + number * 1e-3) * 2e-4);
        made_up::add_run(gathering, made_up::run_of(number), made_up::rows_of("copy/x", {own, own, own}));
    }
    std::vector<std::string> warnings;
    return gathering.finish(warnings);
}

GatheredSides sides_of(RowNames& names, int first_after) {
    return {side(names, 1, 1e-3), side(names, first_after, 1.05e-3), side(names, 1 + 2 * starts, 1e-3)};
}

TEST(AnsweredRows, FollowTheRules) {
    RowNames names;
    auto sides = sides_of(names, 1 + starts);
    const auto report = compare_sides(names, sides);
    ASSERT_EQ(report.rows.size(), 1U);
    EXPECT_EQ(report.rows[0].change.verdict, ChangeVerdict::slower) << report.rows[0].change.because;
    EXPECT_EQ(report.rows[0].change.freedom, 3 * (starts - 1));
    EXPECT_EQ(report.rows[0].row.history.of, "this GPU's history");
    const auto paired = pair_rows(names, sides, ComparisonRules{}.freedom_min);
    EXPECT_EQ(compare_rows(std::vector{paired.rows.at(0).row}).at(0), report.rows[0].change);
    EXPECT_TRUE(has_findings(report));
    EXPECT_TRUE(compared_anything(report));
}

TEST(AnsweredRows, WithAStartOnBothSidesAreUndecided) {
    RowNames names;
    auto sides = sides_of(names, starts);
    const auto report = compare_sides(names, sides);
    EXPECT_EQ(report.rows.at(0).change.verdict, ChangeVerdict::undecided);
    EXPECT_EQ(report.rows[0].change.because, "the same start is on both sides");
    EXPECT_FALSE(has_findings(report));
}

}  // namespace
}  // namespace tocuda
