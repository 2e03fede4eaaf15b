// tocuda, Apache-2.0.
// The least of what the machine and the control group leave.
#include "measurement/free_host_memory.hpp"

#include <gtest/gtest.h>

#include "measurement/too_large.hpp"

namespace tocuda {
namespace {

const std::string meminfo = "MemTotal:       24684096 kB\nMemFree:         9195400 kB\nMemAvailable:   1000 kB\n";

TEST(FreeHostMemory, OfTheMachine) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo}), 1000U * 1024);
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "max\n", .used = "5000\n"}), 1000U * 1024);
}

TEST(FreeHostMemory, OfTheGroupWhereItIsLess) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "90000\n", .used = "5000\n"}), 85000U);
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "9000000\n", .used = "5000\n"}), 1000U * 1024);
}

TEST(FreeHostMemory, WhatTheGroupCouldGiveBackIsFree) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo,
                               .limit = "90000",
                               .used = "50000",
                               .group_statistics = "anon 7\ninactive_file 30000\n"}),
              70000U);
}

TEST(FreeHostMemory, AGroupBeyondItsLimitHasNothing) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "90000", .used = "95000"}), 0U);
}

TEST(FreeHostMemory, WhatCannotBeReadIsNotKnown) {
    EXPECT_EQ(free_host_bytes(HostMemoryFiles{}), std::nullopt);
    EXPECT_EQ(free_host_bytes({.meminfo = "MemAvailable: many"}), std::nullopt);
}

TEST(FreeHostMemory, HereThereIsSome) { EXPECT_GT(free_host_bytes().value_or(1), 0U); }

constexpr std::size_t gibibyte = std::size_t{1} << 30;

TEST(TooLarge, WhatFitsIsNot) {
    EXPECT_EQ(why_too_large({gibibyte, gibibyte}, {.host_bytes = 2 * gibibyte, .device_bytes = 2 * gibibyte}), "");
}

TEST(TooLarge, NeededAndFoundAreSaid) {
    EXPECT_EQ(why_too_large({.device_bytes = gibibyte}, {.host_bytes = 0, .device_bytes = gibibyte}),
              "1073741824 bytes of the GPU's memory are needed; 1006632960 are free");
    EXPECT_EQ(why_too_large({.host_bytes = gibibyte}, {.host_bytes = gibibyte, .device_bytes = gibibyte}),
              "1073741824 bytes of the host's memory are needed; 536870912 are free");
}

TEST(TooLarge, AHostThatSaysNothingCountsAsLargeEnough) {
    EXPECT_EQ(why_too_large({.host_bytes = gibibyte}, {.device_bytes = gibibyte}), "");
}

}  // namespace
}  // namespace tocuda
