// tocuda, Apache-2.0.
// The groups of benchmarks and their order.
#include "execution/bench_groups.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(BenchGroups, LongestFolderDecides) {
    EXPECT_EQ(group_of("copy/device_to_device/best"), "copy/device_to_device");
    EXPECT_EQ(group_of("copy/device_to_device/peer"), "copy/device_to_device/peer")
        << "a group of its own, measured later, because it needs two GPUs";
    EXPECT_EQ(group_of("memory/read"), "memory");
    EXPECT_EQ(group_of("memory_of/nobody"), "memory_of") << "only whole parts of the name count";
    EXPECT_EQ(group_of("start/first_byte"), "start");
    EXPECT_EQ(group_of("alone"), "alone");
}

TEST(BenchGroups, FollowPriorityListWithOthersLast) {
    const std::vector<std::string> names{"a/new_one",
                                         "framework/to",
                                         "memory/read",
                                         "memory/write",
                                         "copy/device_to_device/best",
                                         "copy/host_to_device/pinned",
                                         "copy/device_to_device/peer"};
    const std::vector<BenchGroup> expected{
        {"copy/device_to_device", {4}},      {"memory", {2, 3}}, {"copy/host_to_device", {5}},
        {"copy/device_to_device/peer", {6}}, {"framework", {1}}, {"a", {0}}};
    EXPECT_EQ(bench_groups(names), expected);
}

TEST(BenchGroups, WhatCanHangTheGpuIsTheVeryLast) {
    const std::vector<BenchGroup> expected{{"memory", {2}}, {"zoo", {1}}, {"managed", {0}}};
    EXPECT_EQ(bench_groups({"managed/oversubscribed", "zoo/new_one", "memory/read"}), expected);
}

}  // namespace
}  // namespace tocuda
