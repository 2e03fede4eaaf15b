// tocuda, Apache-2.0.
// Tests that the lower of the machine's and the control group's free memory counts.
#include <gtest/gtest.h>

#include "measurement/room.hpp"

namespace tocuda {
namespace {

const std::string meminfo = "MemTotal:       24684096 kB\nMemFree:         9195400 kB\nMemAvailable:   1000 kB\n";

TEST(FreeHostMemory, IsMachinesWithoutGroupLimit) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo}), 1000U * 1024);
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "max\n", .used = "5000\n"}), 1000U * 1024);
}

TEST(FreeHostMemory, IsGroupsIfLower) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "90000\n", .used = "5000\n"}), 85000U);
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "9000000\n", .used = "5000\n"}), 1000U * 1024);
}

TEST(FreeHostMemory, CountsReclaimableMemoryAsFree) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo,
                               .limit = "90000",
                               .used = "50000",
                               .group_statistics = "anon 7\ninactive_file 30000\n"}),
              70000U);
}

TEST(FreeHostMemory, IsZeroIfGroupExceedsLimit) {
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .limit = "90000", .used = "95000"}), 0U);
}

TEST(FreeHostMemory, IsUnknownIfUnreadable) {
    EXPECT_EQ(free_host_bytes(HostMemoryFiles{}), std::nullopt);
    EXPECT_EQ(free_host_bytes({.meminfo = "MemAvailable: many"}), std::nullopt);
}

TEST(FreeHostMemory, IsUnknownInSandboxThatGrowsWithUse) {
    const std::string sandbox = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n";
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .version = sandbox}), std::nullopt);
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .version = sandbox, .limit = "90000", .used = "5000"}), 85000U);
    const std::string linux_itself = "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\n";
    EXPECT_EQ(free_host_bytes({.meminfo = meminfo, .version = linux_itself}), 1000U * 1024);
}

TEST(FreeHostMemory, IsPositiveOnThisMachine) { EXPECT_GT(free_host_bytes().value_or(1), 0U); }

constexpr std::size_t gibibyte = std::size_t{1} << 30;

TEST(TooLarge, IsEmptyIfSetFits) {
    EXPECT_EQ(why_too_large({gibibyte, gibibyte}, {.host_bytes = 2 * gibibyte, .device_bytes = 2 * gibibyte}), "");
}

TEST(TooLarge, NamesNeededAndFreeBytes) {
    EXPECT_EQ(why_too_large({.device_bytes = gibibyte}, {.host_bytes = 0, .device_bytes = gibibyte}),
              "1073741824 bytes of the GPU's memory are needed; 1006632960 are free");
    EXPECT_EQ(why_too_large({.host_bytes = gibibyte}, {.host_bytes = gibibyte, .device_bytes = gibibyte}),
              "1073741824 bytes of the host's memory are needed; 536870912 are free");
}

TEST(TooLarge, AssumesUnknownHostMemorySuffices) {
    EXPECT_EQ(why_too_large({.host_bytes = gibibyte}, {.device_bytes = gibibyte}), "");
}

}  // namespace
}  // namespace tocuda
