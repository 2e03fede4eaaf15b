// tocuda, Apache-2.0.
// Seeded orders: reproducible, complete and fair.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

using Order = std::vector<std::size_t>;

TEST(SeededOrder, IsTheSameWithEveryCompiler) {
    // Computed by a second implementation in another language.
    EXPECT_EQ(seeded_order(10, 1, 0), (Order{0, 8, 1, 4, 2, 3, 6, 9, 7, 5}));
    EXPECT_EQ(seeded_order(10, 1, 1), (Order{4, 9, 7, 3, 5, 2, 0, 8, 6, 1}));
    EXPECT_EQ(seeded_order(10, 2, 0), (Order{8, 9, 3, 4, 2, 7, 1, 0, 6, 5}));
}

TEST(SeededOrder, HoldsEachNumberOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
        auto order = seeded_order(count, 7, 3);
        std::sort(order.begin(), order.end());
        ASSERT_EQ(order.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(order[i], i);
    }
}

TEST(SeededOrder, EachOrderIsEquallyFrequent) {
    std::map<Order, int> seen;
    constexpr int processes = 24000;
    for (int process = 0; process < processes; ++process)
        ++seen[seeded_order(4, 20261121, static_cast<std::uint64_t>(process))];
    EXPECT_EQ(seen.size(), 24U);
    for (const auto& [order, times] : seen) EXPECT_NEAR(times, processes / 24, 5 * std::sqrt(processes / 24.0));
}

}  // namespace
}  // namespace tocuda
