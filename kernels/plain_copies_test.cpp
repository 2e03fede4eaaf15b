// tocuda, Apache-2.0.
// The copies without shared memory on the CPU: scalar, unrolled, 256-bit, persistent.
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
using Kernels =
    testing::Types<ScalarCopy<std::uint8_t>, ScalarCopy<std::uint32_t>, ScalarCopy<std::uint64_t>,
                   UnrolledCopy<1, Hint::plain>, UnrolledCopy<8, Hint::plain, 128>, UnrolledCopy<12, Hint::streaming>,
                   UnrolledCopy<16, Hint::streaming_store, 512>, Vector32Copy>;
TYPED_TEST_SUITE(PlainCopy, Kernels);

TYPED_TEST(PlainCopy, EverySize) { EXPECT_EQ(wrong_size(TypeParam{}, TypeParam::grid), ""); }
TYPED_TEST(PlainCopy, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(TypeParam{}, TypeParam::grid), ""); }
TYPED_TEST(PlainCopy, FewerBlocksThanTiles) {
    const Grid grid{.blocks = 3, .threads = TypeParam::threads};
    EXPECT_EQ(wrong_copy(TypeParam{}, grid, 299'993, {5, 5}), "");
}

// More than 4 Gi elements, also of the kernels with 16-byte elements.
TYPED_TEST(PlainCopy, EndsOfMoreThanFourGiElements) {
    const auto one = TypeParam::grid(1 << 20).blocks;
    const auto tile = parts(1 << 20, one) * 1;
    const auto exact = tile * one == 1 << 20 ? tile : std::size_t{TypeParam::threads} * 12 * sizeof(Vector16);
    const auto bytes = (std::size_t{1} << 36) / exact * exact + 3 * exact;
    EXPECT_EQ(wrong_ends(TypeParam{}, TypeParam::grid(bytes), bytes, exact), "");
}

using Persistent = PersistentCopy<Hint::streaming>;
constexpr std::size_t persistent_tile = Persistent::tile * sizeof(Vector16);
Grid persistent_grid(std::size_t bytes) { return Persistent::grid(bytes, 2, 2); }

class InEveryOrder : public testing::TestWithParam<TileOrder> {
protected:
    const Persistent copy{.order = GetParam()};
};
TEST_P(InEveryOrder, EverySize) { EXPECT_EQ(wrong_size(copy, persistent_grid), ""); }
TEST_P(InEveryOrder, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(copy, persistent_grid), ""); }
TEST_P(InEveryOrder, FewBlocksWithManyTiles) {
    for (const std::size_t tiles : {9, 10, 11})
        EXPECT_EQ(
            wrong_copy(copy, persistent_grid(tiles * persistent_tile + 77), tiles * persistent_tile + 77, {3, 19}), "")
            << tiles;
}
TEST_P(InEveryOrder, EndsOfMoreThanFourGiElements) {
    const auto bytes = (std::size_t{1} << 36) + 3 * persistent_tile;
    EXPECT_EQ(wrong_ends(copy, Persistent::grid(bytes, 0x7fffffff, 1), bytes, persistent_tile), "");
}
INSTANTIATE_TEST_SUITE_P(PersistentCopy, InEveryOrder, testing::Values(TileOrder::interleaved, TileOrder::contiguous),
                         [](const auto& each) {
                             return each.param == TileOrder::interleaved ? "interleaved" : "contiguous";
                         });

// The first of two blocks copies the first half and nothing of the second.
TEST(PersistentCopy, ContiguousBlocksCopyOneRunEach) {
    const auto bytes = 4 * persistent_tile;
    const auto source = aligned_bytes(bytes);
    const auto target = aligned_bytes(bytes);
    std::fill_n(source.get(), bytes, std::byte{1});
    std::fill_n(target.get(), bytes, std::byte{0});
    run_blocks_on_host(Persistent::grid(bytes, 2, 1), {0}, ThreadOrder::ascending,
                       Persistent{.order = TileOrder::contiguous}, target.get(),
                       static_cast<const std::byte*>(source.get()), bytes);
    EXPECT_EQ(std::count(target.get(), target.get() + 2 * persistent_tile, std::byte{1}),
              static_cast<std::ptrdiff_t>(2 * persistent_tile));
    EXPECT_EQ(std::count(target.get() + 2 * persistent_tile, target.get() + bytes, std::byte{1}), 0);
}

TEST(UnrolledShapes, AreAllDifferent) {
    for (std::size_t i = 0; i < unrolled_shapes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(unrolled_shapes[i] == unrolled_shapes[j]) << i << " and " << j;
}

TEST(PersistentCopy, NoMoreBlocksThanRunAtOnce) {
    EXPECT_EQ(Persistent::grid(std::size_t{1} << 30, 132, 2).blocks, 264U);
    EXPECT_EQ(Persistent::grid(1, 132, 2).blocks, 1U);
    EXPECT_EQ(Persistent::grid(0, 132, 2).blocks, 1U);
}

}  // namespace
}  // namespace tocuda
