// tocuda, Apache-2.0.
// The copies through shared memory on the CPU: cp.async and bulk. Asynchronous copies are done there as late as
// allowed, so that a missing wait or a buffer overwritten too early gives wrong bytes.
#include <gtest/gtest.h>

#include "kernels/bulk_copy.hpp"
#include "kernels/copied_test.hpp"
#include "kernels/cp_async_copy.hpp"

namespace tocuda {
namespace {

Grid async_grid(std::size_t bytes) { return CpAsyncCopy::grid(bytes, 3, 1); }

TEST(CpAsyncCopy, EverySize) { EXPECT_EQ(wrong_size(CpAsyncCopy{}, async_grid), ""); }
TEST(CpAsyncCopy, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(CpAsyncCopy{}, async_grid), ""); }
TEST(CpAsyncCopy, FewBlocksWithManyTiles) {
    EXPECT_EQ(wrong_copy(CpAsyncCopy{}, async_grid(299'993), 299'993, {3, 19}), "");
}

struct BulkShape {
    unsigned tile_bytes;
    unsigned stages;
};
class EveryBulkShape : public testing::TestWithParam<BulkShape> {
protected:
    BulkCopy kernel() const {
        return {.tile_bytes = GetParam().tile_bytes, .stages = GetParam().stages, .lines = L2Policy::evict_first};
    }
    auto grid() const {
        return [copy = kernel()](std::size_t bytes) { return copy.grid(bytes, 2, 1); };
    }
};
TEST_P(EveryBulkShape, EverySize) { EXPECT_EQ(wrong_size(kernel(), grid()), ""); }
TEST_P(EveryBulkShape, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(kernel(), grid()), ""); }
INSTANTIATE_TEST_SUITE_P(BulkCopy, EveryBulkShape,
                         testing::Values(BulkShape{8192, 4}, BulkShape{128, 2}, BulkShape{4096, 3},
                                         BulkShape{2048, 32}),
                         [](const auto& each) {
                             return std::to_string(each.param.tile_bytes) + "_x_" + std::to_string(each.param.stages);
                         });

TEST(BulkCopy, EndsOfMoreThanFourGiElements) {
    const auto bytes = (std::size_t{1} << 36) + 3 * 8192;
    const BulkCopy copy;
    EXPECT_EQ(wrong_ends(copy, copy.grid(bytes, 0x7fffffff, 1), bytes, 8192), "");
}

TEST(BulkCopy, SharedMemoryHoldsBarriersAndStages) {
    EXPECT_EQ((BulkCopy{.tile_bytes = 8192, .stages = 4}.shared_bytes()), 128U + 4 * 8192U);
    EXPECT_EQ((BulkCopy{.tile_bytes = 128, .stages = 17}.shared_bytes()), 256U + 17 * 128U);
}

// Mutants: kernels that forget a wait must give wrong bytes.
struct BulkWithoutWaitingForTheLoad {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        auto* barriers = shared<std::uint64_t>(block, 2);
        auto* place = static_cast<std::byte*>(block.shared_array(bytes, 128));
        if (block.thread != 0) return;
        BulkCopies copies(barriers);
        copies.begin(2);
        copies.load(0, place, from, static_cast<std::uint32_t>(bytes));
        copies.store(to, place, static_cast<std::uint32_t>(bytes));
        copies.await_stores();
    }
};
struct BulkThatOverwritesWhatIsStillRead {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        auto* barriers = shared<std::uint64_t>(block, 2);
        const auto half = bytes / 2;
        auto* place = static_cast<std::byte*>(block.shared_array(half, 128));
        if (block.thread != 0) return;
        BulkCopies copies(barriers);
        copies.begin(2);
        for (unsigned stage = 0; stage < 2; ++stage) {
            copies.load(stage, place, from + stage * half, static_cast<std::uint32_t>(half));
            copies.await_load(stage);
            copies.store(to + stage * half, place, static_cast<std::uint32_t>(half));
        }
        copies.await_stores();
    }
};
struct AsyncOneGroupTooFew {
    static constexpr bool has_barrier = false;
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        auto* place = shared<Vector16>(block, 1);
        AsynchronousCopies<2> copies;
        copies.begin(place, reinterpret_cast<const Vector16*>(from));
        copies.template await<1>();
        if (bytes == sizeof(Vector16)) *reinterpret_cast<Vector16*>(to) = *place;
    }
};
template <class Kernel>
std::string wrong_with(Kernel kernel, std::size_t bytes) {
    return wrong_copy(kernel, {.blocks = 1, .threads = 1, .shared_bytes = bytes + 256}, bytes);
}
TEST(StagedCopyMutants, FindsALoadThatIsNotAwaited) { EXPECT_NE(wrong_with(BulkWithoutWaitingForTheLoad{}, 1024), ""); }
TEST(StagedCopyMutants, FindsAStageOverwrittenWhileRead) {
    EXPECT_NE(wrong_with(BulkThatOverwritesWhatIsStillRead{}, 1024), "");
}
TEST(StagedCopyMutants, FindsAGroupThatIsNotAwaited) { EXPECT_NE(wrong_with(AsyncOneGroupTooFew{}, 16), ""); }

}  // namespace
}  // namespace tocuda
