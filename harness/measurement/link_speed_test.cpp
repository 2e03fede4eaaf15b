// tocuda, Apache-2.0.
// What a link carries.
#include <gtest/gtest.h>

#include "measurement/peaks.hpp"

namespace tocuda {
namespace {

TEST(LinkSpeed, IsThatOfTheLanesAfterTheirEncoding) {
    EXPECT_NEAR(link_bytes_per_second(5, 16), 63.015e9, 1e6);
    EXPECT_NEAR(link_bytes_per_second(4, 16), 31.508e9, 1e6);
    EXPECT_NEAR(link_bytes_per_second(3, 8), 7.877e9, 1e6);
    EXPECT_NEAR(link_bytes_per_second(1, 16), 4e9, 1);
}

TEST(LinkSpeed, OfALinkThatIsNotKnownIsNone) {
    EXPECT_EQ(link_bytes_per_second(0, 16), 0);
    EXPECT_EQ(link_bytes_per_second(99, 16), 0);
    EXPECT_EQ(link_bytes_per_second(5, 0), 0);
}

TEST(LinkSpeed, GenerationsByTheSystemsWords) {
    EXPECT_EQ(generation_of("32.0 GT/s PCIe"), 5);
    EXPECT_EQ(generation_of("2.5 GT/s PCIe"), 1);
    EXPECT_EQ(generation_of("Unknown"), std::nullopt);
}

}  // namespace
}  // namespace tocuda
