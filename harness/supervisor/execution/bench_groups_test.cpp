// tocuda, Apache-2.0.
// The order of the groups of benchmarks.
#include <gtest/gtest.h>

#include "execution/bench_order.hpp"

namespace tocuda {
namespace {

TEST(BenchGroups, FollowTheirOrderAndThenTheirNames) {
    const std::vector<Group> each{{"new"}, {"LibTorch", 7}, {"memory", 0}, {"another"}, {"memory", 0}, {"copies", 1}};
    const std::vector<BenchGroup> expected{
        {"memory", {2, 4}}, {"copies", {5}}, {"LibTorch", {1}}, {"another", {3}}, {"new", {0}}};
    EXPECT_EQ(bench_groups(each), expected);
}

TEST(BenchGroups, WhatCanHangTheGpuIsTheVeryLast) {
    const std::vector<BenchGroup> expected{{"memory", {1}}, {"zoo", {2}}, {"managed", {0}}};
    EXPECT_EQ(bench_groups({{"managed", Group::last}, {"memory", 3}, {"zoo"}}), expected);
}

}  // namespace
}  // namespace tocuda
