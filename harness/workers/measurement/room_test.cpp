// tocuda, Apache-2.0.
// Tests what fits, including the largest numbers.
#include "measurement/room.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(Room, RoundsUpEachAllocation) {
    EXPECT_EQ(allocated_bytes({}), 0U);
    EXPECT_EQ(allocated_bytes({0}), 0U);
    EXPECT_EQ(allocated_bytes({1, 1}), 4 * mebibyte);
    EXPECT_EQ(allocated_bytes({2 * mebibyte, 2 * mebibyte + 1}), 6 * mebibyte);
}

TEST(Room, SumSaturates) {
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(allocated_bytes({most}), most);
    EXPECT_EQ(allocated_bytes({most / 2, most / 2, most / 2}), most);
}

TEST(Room, NamesNeededAndFreeBytes) {
    EXPECT_EQ(why_no_room(5, 5), "");
    EXPECT_EQ(why_no_room(6, 5), "6 bytes of the GPU's memory are needed; 5 are free");
    EXPECT_EQ(why_no_room(6, 5, "of pinned memory"), "6 bytes of pinned memory are needed; 5 are free");
}

}  // namespace
}  // namespace tocuda
