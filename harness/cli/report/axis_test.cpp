// tocuda, Apache-2.0.
// Tests which ticks a scale has, and when it is logarithmic.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "report/chart.hpp"

namespace tocuda::page {
namespace {

TEST(Axis, TicksAreRound) {
    EXPECT_EQ(ticks_of({0, 63, false}, 5), (std::vector<double>{0, 20, 40, 60}));
    EXPECT_EQ(ticks_of({3, 40, true}, 4), (std::vector<double>{5, 10, 20}));
    EXPECT_EQ(ticks_of({2, 250, true}, 4), (std::vector<double>{10, 100})) << "seven would collide";
    EXPECT_EQ(ticks_of({0.5, 2000, true}, 5), (std::vector<double>{1, 10, 100, 1000}));
    EXPECT_EQ(size_ticks({4096, 1 << 26, true}, 5).front(), 4096);
}

TEST(Axis, UnusableScalesHaveNoTicks) {
    const double endless = std::numeric_limits<double>::infinity();
    for (const auto& scale :
         {Scale{0, 0, false}, Scale{0, endless, false}, Scale{0, 9, true}, Scale{1, endless, true}}) {
        EXPECT_TRUE(ticks_of(scale, 5).empty());
        EXPECT_TRUE(size_ticks(scale, 5).empty());
        EXPECT_EQ(scale.share(3), 0);
    }
}

TEST(Axis, IsLogarithmicOnlyWhereValuesAreFarApart) {
    EXPECT_FALSE(scale_for({10, 60}).logarithmic);
    EXPECT_TRUE(scale_for({0.9, 60}).logarithmic);
    EXPECT_EQ(Scale({1, 100, true}).share(10), 0.5);
}

}  // namespace
}  // namespace tocuda::page
