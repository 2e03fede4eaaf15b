// tocuda, Apache-2.0.
// The vector copy on the CPU under the address sanitizer, with many sizes, alignments and thread orders. Mutants of the
// kernel check that these tests find errors.
#include "kernels/vector_copy.hpp"

#include <gtest/gtest.h>

#include "kernels/copied_test.hpp"

namespace tocuda {
namespace {

TEST(VectorCopy, EverySize) { EXPECT_EQ(wrong_size(VectorCopy{}, VectorCopy::grid), ""); }
TEST(VectorCopy, EveryPairOfAlignments) { EXPECT_EQ(wrong_alignment(VectorCopy{}, VectorCopy::grid), ""); }
TEST(VectorCopy, FewerBlocksThanTiles) {
    EXPECT_EQ(wrong_copy(VectorCopy{}, {.blocks = 3, .threads = 64}, 100'003, {5, 5}), "");
}

TEST(VectorCopy, EndsOfMoreThanFourGiElements) {
    const auto bytes = (std::size_t{1} << 36) + 3 * 32768;  // in elements of 16 bytes
    EXPECT_EQ(wrong_ends(VectorCopy{}, VectorCopy::grid(bytes), bytes, 32768), "");
}

TEST(VectorCopy, GridCoversAllBytes) {
    EXPECT_EQ(VectorCopy::grid(0).blocks, 1U);
    EXPECT_EQ(VectorCopy::grid(32768).blocks, 1U);
    EXPECT_EQ(VectorCopy::grid(32769).blocks, 2U);
    EXPECT_EQ(VectorCopy::grid(std::size_t{1} << 60).blocks, 0x7fffffffU);
    EXPECT_EQ(VectorCopy::grid(1000).bytes_touched, 2000U);
}

// Mutants: kernels that are wrong on purpose.
template <int Excess>
struct WrongBy : VectorCopy {
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        VectorCopy::operator()(block, to, from, bytes + static_cast<std::size_t>(Excess));
    }
};

// Writes one byte too many but reads none, because it reads the last byte twice.
struct WritesOneTooMany : VectorCopy {
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        VectorCopy::operator()(block, to, from, bytes);
        if (block.thread == 0 && bytes != 0) to[bytes] = from[bytes - 1];
    }
};

// Counts blocks in 32 bits.
struct Narrow : VectorCopy {
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto start = std::size_t{static_cast<unsigned>(block.block * 32768U)};
        if (block.thread == 0)
            copy_reference({to + start, std::min(bytes - start, std::size_t{32768})}, {from + start, 32768});
    }
};

template <class Kernel>
std::string wrong_with(Kernel kernel) {
    return wrong_copy(kernel, VectorCopy::grid(4096), 4096);
}

TEST(VectorCopyMutants, FindsOneByteTooFew) { EXPECT_EQ(wrong_with(WrongBy<-1>{}), "byte 4095 of 4096, ascending"); }
TEST(VectorCopyMutants, FindsOneVectorTooFew) { EXPECT_EQ(wrong_with(WrongBy<-16>{}), "byte 4080 of 4096, ascending"); }
TEST(VectorCopyMutants, GuardFindsOneByteTooMany) {
    EXPECT_EQ(wrong_with(WritesOneTooMany{}), "byte 4096 of 4096, ascending");
}
TEST(VectorCopyMutants, AddressSanitizerFindsOneByteReadTooMany) {
    EXPECT_DEATH(wrong_with(WrongBy<1>{}), "heap-buffer-overflow");
}
TEST(VectorCopyMutants, AddressSanitizerFindsOneVectorReadTooMany) {
    EXPECT_DEATH(wrong_with(WrongBy<16>{}), "heap-buffer-overflow");
}
TEST(VectorCopyMutants, EndsRevealA32BitIndex) {
    const auto bytes = (std::size_t{1} << 36) + 3 * 32768;
    EXPECT_EQ(wrong_ends(Narrow{}, VectorCopy::grid(bytes), bytes, 32768),
              "byte " + std::to_string(bytes - 32768) + " of " + std::to_string(bytes));
}

}  // namespace
}  // namespace tocuda
