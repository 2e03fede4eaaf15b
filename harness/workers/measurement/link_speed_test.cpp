// tocuda, Apache-2.0.
// Tests the bandwidth of PCIe links and the choice among reports that disagree.
#include <gtest/gtest.h>

#include "measurement/peaks.hpp"

namespace tocuda {
namespace {

TEST(LinkSpeed, IsThatOfLanesWithoutEncoding) {
    EXPECT_NEAR(link_bytes_per_second(5, 16), 63.015e9, 1e6);
    EXPECT_NEAR(link_bytes_per_second(4, 16), 31.508e9, 1e6);
    EXPECT_NEAR(link_bytes_per_second(3, 8), 7.877e9, 1e6);
    EXPECT_NEAR(link_bytes_per_second(1, 16), 4e9, 1);
}

TEST(LinkSpeed, IsZeroForUnknownLink) {
    EXPECT_EQ(link_bytes_per_second(0, 16), 0);
    EXPECT_EQ(link_bytes_per_second(99, 16), 0);
    EXPECT_EQ(link_bytes_per_second(5, 0), 0);
}

TEST(LinkSpeed, PeakIsUndoubtedIfReportsAgree) {
    const auto peak = largest_link_peak({{5, 16, "by NVML"}, {5, 16, "by sysfs"}});
    EXPECT_EQ(peak.bytes_per_second, link_bytes_per_second(5, 16));
    EXPECT_EQ(peak.source, "PCIe 5.0 x16, by NVML");
    EXPECT_EQ(peak.doubt, "");
}

// As in a virtual machine, whose PCIe slot is emulated.
TEST(LinkSpeed, PeakIsLargestAndDoubtedIfReportsDisagree) {
    const auto peak = largest_link_peak({{1, 16, "of GPU and slot"}, {5, 16, "of the GPU"}, {5, 8, "by sysfs"}});
    EXPECT_EQ(peak.bytes_per_second, link_bytes_per_second(5, 16));
    EXPECT_EQ(
        peak.source,
        "PCIe 5.0 x16, of the GPU; disagrees with PCIe 1.0 x16, of GPU and slot; disagrees with PCIe 5.0 x8, by sysfs");
    EXPECT_EQ(peak.doubt, link_maximum_disputed);
    EXPECT_EQ(peak.counted, Counted::one_way);
}

TEST(LinkSpeed, IgnoresInvalidReports) {
    const auto peak = largest_link_peak({{0, 16, "nobody"}, {4, 16, "by sysfs"}});
    EXPECT_EQ(peak.source, "PCIe 4.0 x16, by sysfs");
    EXPECT_EQ(peak.doubt, "");
    EXPECT_EQ(largest_link_peak({}), Peak{});
    EXPECT_EQ(largest_link_peak({{5, 0, "nobody"}}), Peak{});
}

TEST(LinkSpeed, ParsesGenerationFromSysfs) {
    EXPECT_EQ(generation_of("32.0 GT/s PCIe"), 5);
    EXPECT_EQ(generation_of("2.5 GT/s PCIe"), 1);
    EXPECT_EQ(generation_of("Unknown"), std::nullopt);
}

}  // namespace
}  // namespace tocuda
