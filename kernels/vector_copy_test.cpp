// tocuda, Apache-2.0.
// The vector copy on the CPU, under the address sanitizer: sizes, alignments and orders; and that these tests find what is wrong.
#include "kernels/vector_copy.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "measurement/host_execution.hpp"

namespace tocuda {
namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte guard{0xC3};

struct Place {
    std::size_t to = 0;  // bytes past a multiple of 16
    std::size_t from = 0;
};

std::byte payload(std::size_t index) { return static_cast<std::byte>((index * 2654435761U) >> 13 & 0xFF); }

// What is wrong after this kernel copied that much in this order; empty where nothing is. The source ends where its allocation
// ends; the target stands between guards.
template <class Kernel>
std::string wrong_with(Kernel kernel, std::size_t bytes, Place place, ThreadOrder order, Grid grid) {
    const auto source = std::make_unique<std::byte[]>(place.from + bytes);
    const std::span from(source.get() + place.from, bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = payload(i);
    std::vector<std::byte> target(guard_bytes + place.to + bytes + guard_bytes, guard);
    auto expected = target;
    const auto start = guard_bytes + place.to;
    copy_reference(std::span(expected).subspan(start, bytes), from);
    run_on_host(grid, order, kernel, target.data() + start, static_cast<const std::byte*>(from.data()), bytes);
    const auto difference = first_difference(expected, target);
    if (!difference) return "";
    return "byte " + std::to_string(static_cast<std::ptrdiff_t>(*difference - start)) + " of " + std::to_string(bytes);
}

template <class Kernel>
std::string wrong_with(Kernel kernel, std::size_t bytes, Place place = {}) {
    for (const auto order : thread_orders) {
        const auto wrong = wrong_with(kernel, bytes, place, order, VectorCopy::grid(bytes));
        if (!wrong.empty()) return wrong + ", " + word(order);
    }
    return "";
}

class EverySize : public testing::TestWithParam<std::size_t> {};
TEST_P(EverySize, IsCopiedWholeAndNothingElse) { EXPECT_EQ(wrong_with(VectorCopy{}, GetParam()), ""); }
INSTANTIATE_TEST_SUITE_P(VectorCopy, EverySize,
                         testing::Values(0, 1, 15, 16, 17, 255, 10007, 32767, 32768, 32769, 1 << 20, 3 * 32768 + 5),
                         [](const auto& each) { return std::to_string(each.param) + "_bytes"; });

TEST(VectorCopy, EveryPairOfAlignments) {
    for (std::size_t to = 0; to < 16; ++to)
        for (std::size_t from = 0; from < 16; ++from)
            for (const std::size_t bytes : {0, 1, 15, 33, 251})
                EXPECT_EQ(wrong_with(VectorCopy{}, bytes, {to, from}), "") << to << " and " << from << " past a multiple of 16";
}

TEST(VectorCopy, FewerBlocksThanTiles) {
    const Grid grid{.blocks = 3, .threads = 64};
    for (const auto order : thread_orders) EXPECT_EQ(wrong_with(VectorCopy{}, 100'003, {5, 5}, order, grid), "") << word(order);
}

TEST(VectorCopy, GridHoldsTheWholeOfIt) {
    EXPECT_EQ(VectorCopy::grid(0).blocks, 1U);
    EXPECT_EQ(VectorCopy::grid(32768).blocks, 1U);
    EXPECT_EQ(VectorCopy::grid(32769).blocks, 2U);
    EXPECT_EQ(VectorCopy::grid(std::size_t{1} << 60).blocks, 0x7fffffffU);
    EXPECT_EQ(VectorCopy::grid(1000).bytes_touched, 2000U);
}

// Tests of the tests: kernels that are wrong on purpose.
template <int Excess>
struct WrongBy : VectorCopy {
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        VectorCopy::operator()(block, to, from, bytes + static_cast<std::size_t>(Excess));
    }
};

// Reads its last byte twice, so that only what it writes is too much.
struct WritesOneTooMany : VectorCopy {
    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        VectorCopy::operator()(block, to, from, bytes);
        if (block.thread == 0 && bytes != 0) to[bytes] = from[bytes - 1];
    }
};

TEST(VectorCopyTestOfTheTest, OneByteTooFewIsFound) { EXPECT_EQ(wrong_with(WrongBy<-1>{}, 4096), "byte 4095 of 4096, ascending"); }

TEST(VectorCopyTestOfTheTest, OneVectorTooFewIsFound) {
    EXPECT_EQ(wrong_with(WrongBy<-16>{}, 4096), "byte 4080 of 4096, ascending");
}

TEST(VectorCopyTestOfTheTest, OneByteTooManyIsFoundByTheGuard) {
    EXPECT_EQ(wrong_with(WritesOneTooMany{}, 4096), "byte 4096 of 4096, ascending");
}

TEST(VectorCopyTestOfTheTest, OneByteReadTooManyIsFoundByTheAddressSanitizer) {
    EXPECT_DEATH(wrong_with(WrongBy<1>{}, 4096), "heap-buffer-overflow");
}

TEST(VectorCopyTestOfTheTest, OneVectorReadTooManyIsFoundByTheAddressSanitizer) {
    EXPECT_DEATH(wrong_with(WrongBy<16>{}, 4096), "heap-buffer-overflow");
}

}  // namespace
}  // namespace tocuda
