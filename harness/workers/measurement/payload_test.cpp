// tocuda, Apache-2.0.
// Tests that the payload depends on the offset alone and has no obvious pattern.
#include "measurement/payload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tocuda {
namespace {

std::vector<std::byte> payload(std::size_t bytes, std::size_t place) {
    std::vector<std::byte> all(bytes);
    write_payload(all, place);
    return all;
}

TEST(Payload, PartEqualsPartOfWhole) {
    const auto whole = payload(100, 0);
    for (std::size_t place = 0; place < 20; ++place)
        EXPECT_EQ(payload(80, place), std::vector(whole.begin() + static_cast<std::ptrdiff_t>(place),
                                                  whole.begin() + static_cast<std::ptrdiff_t>(place) + 80));
}

TEST(Payload, ByteValuesAreAboutEquallyFrequent) {
    std::array<int, 256> counts{};
    for (const auto byte : payload(256 * 1000, 12345)) ++counts[static_cast<std::size_t>(byte)];
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 850);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 1150);
}

}  // namespace
}  // namespace tocuda
