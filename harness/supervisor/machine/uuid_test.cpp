// tocuda, Apache-2.0.
// The form of random ids, and that they differ.
#include "machine/uuid.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace tocuda {
namespace {

TEST(Uuid, IsOfVersionFour) {
    const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    for (int i = 0; i < 64; ++i) EXPECT_TRUE(std::regex_match(random_uuid(), form));
}

TEST(Uuid, IsAlwaysDifferent) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(random_uuid());
    EXPECT_EQ(seen.size(), 1000u);
}

TEST(UuidText, KeepsTheOrderOfItsBytes) {
    std::array<std::uint8_t, 16> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 17);
    EXPECT_EQ(uuid_text(bytes), "00112233-4455-6677-8899-aabbccddeeff");
}

}  // namespace
}  // namespace tocuda
