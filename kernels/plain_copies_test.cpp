// tocuda, Apache-2.0.
// The copies that need no shared memory, on the CPU: scalar, unrolled, 256 bits at a time, persistent.
#include <gtest/gtest.h>

#include "kernels/copied_test.hpp"
#include "kernels/persistent_copy.hpp"
#include "kernels/scalar_copy.hpp"
#include "kernels/unrolled_copy.hpp"
#include "kernels/vector32_copy.hpp"

namespace tocuda {
namespace {

template <class Kernel>
class PlainCopy : public testing::Test {};
using Kernels = testing::Types<ScalarCopy<std::uint8_t>, ScalarCopy<std::uint32_t>, ScalarCopy<std::uint64_t>, UnrolledCopy<1, Hint::plain>,
                               UnrolledCopy<8, Hint::plain>, UnrolledCopy<12, Hint::streaming>, UnrolledCopy<16, Hint::no_allocate>, Vector32Copy>;
TYPED_TEST_SUITE(PlainCopy, Kernels);

TYPED_TEST(PlainCopy, EverySize) { EXPECT_EQ(wrong_size(TypeParam{}, TypeParam::grid), ""); }
TYPED_TEST(PlainCopy, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(TypeParam{}, TypeParam::grid), ""); }
TYPED_TEST(PlainCopy, FewerBlocksThanTiles) {
    const Grid grid{.blocks = 3, .threads = TypeParam::threads};
    EXPECT_EQ(wrong_copy(TypeParam{}, grid, 299'993, {5, 5}), "");
}

// Elements of 16 bytes are counted up to 4 Gi and beyond, those of one byte as well.
TYPED_TEST(PlainCopy, TheEndsOfMoreThanFourGiElements) {
    const auto one = TypeParam::grid(1 << 20).blocks;
    const auto tile = parts(1 << 20, one) * 1;
    const auto exact = tile * one == 1 << 20 ? tile : std::size_t{TypeParam::threads} * 12 * sizeof(Vector16);
    const auto bytes = (std::size_t{1} << 36) / exact * exact + 3 * exact;
    EXPECT_EQ(wrong_ends(TypeParam{}, TypeParam::grid(bytes), bytes, exact), "");
}

using Persistent = PersistentCopy<Hint::streaming>;
constexpr std::size_t persistent_tile = Persistent::tile * sizeof(Vector16);
Grid persistent_grid(std::size_t bytes) { return Persistent::grid(bytes, 2, 2); }

TEST(PersistentCopy, EverySize) { EXPECT_EQ(wrong_size(Persistent{}, persistent_grid), ""); }
TEST(PersistentCopy, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(Persistent{}, persistent_grid), ""); }
TEST(PersistentCopy, ManyTilesOfFewBlocks) {
    EXPECT_EQ(wrong_copy(Persistent{}, persistent_grid(9 * persistent_tile + 77), 9 * persistent_tile + 77, {3, 19}), "");
}
TEST(PersistentCopy, TheEndsOfMoreThanFourGiElements) {
    const auto bytes = (std::size_t{1} << 36) + 3 * persistent_tile;
    EXPECT_EQ(wrong_ends(Persistent{}, Persistent::grid(bytes, 0x7fffffff, 1), bytes, persistent_tile), "");
}
TEST(PersistentCopy, NoMoreBlocksThanRunAtOnce) {
    EXPECT_EQ(Persistent::grid(std::size_t{1} << 30, 132, 2).blocks, 264U);
    EXPECT_EQ(Persistent::grid(1, 132, 2).blocks, 1U);
    EXPECT_EQ(Persistent::grid(0, 132, 2).blocks, 1U);
}

}  // namespace
}  // namespace tocuda
