// tocuda, Apache-2.0.
// The numbers are always the same and have the distributions they are named after.
#include "statistics/random_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

TEST(RandomNumbers, AreTheSameEverywhere) {
    RandomNumbers random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317U);  // as SplitMix64 is published
    EXPECT_EQ(random.next(), 3203168211198807973U);
    EXPECT_NE(RandomNumbers(1, 2).next(), RandomNumbers(2, 1).next());
}

// Returns the largest difference between the observed and the expected part of the numbers below a point.
template <class Draw, class Cumulative>
double worst_part(const Draw& draw, const Cumulative& cumulative) {
    constexpr int count = 100000;
    std::array<int, 9> below{};
    for (int i = 0; i < count; ++i) {
        const double value = draw();
        for (int point = -4; point <= 4; ++point) below[static_cast<std::size_t>(point + 4)] += value < point ? 1 : 0;
    }
    double worst = 0;
    for (int point = -4; point <= 4; ++point)
        worst = std::max(worst, std::abs(below[static_cast<std::size_t>(point + 4)] / static_cast<double>(count) -
                                         cumulative(point)));
    return worst;
}

TEST(RandomNumbers, HaveTheNamedDistributions) {
    constexpr double four_errors = 4 * 0.5 / 316.2;
    RandomNumbers random(5);
    EXPECT_LT(worst_part([&] { return random.normal(); }, [](double at) { return normal_cumulative(at); }),
              four_errors);
    EXPECT_LT(worst_part([&] { return random.student3(); }, [](double at) { return student_cumulative(at, 3); }),
              four_errors);
    EXPECT_LT(worst_part([&] { return random.between(-4, 4); }, [](double at) { return (at + 4) / 8; }), four_errors);
}

}  // namespace
}  // namespace tocuda
