// tocuda, Apache-2.0.
// What is chosen where: by size, cache, alignment and GPU.
#include "kernels/copy_choice.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

constexpr CopyGpu h200{.compute_capability = 90, .multiprocessors = 132, .l2_bytes = std::size_t{60} << 20};
constexpr CopyGpu a100{.compute_capability = 80, .multiprocessors = 108, .l2_bytes = std::size_t{40} << 20};

TEST(CopyChoice, SmallCopiesAreSpreadOverTheGpu) {
    EXPECT_EQ(copy_choice(h200, 0, true).in_flight, 1U);
    EXPECT_EQ(copy_choice(h200, 1 << 20, true).in_flight, 1U);
    EXPECT_EQ(copy_choice(h200, 132 * 2 * 32768 - 1, true).in_flight, 1U);
    EXPECT_EQ(copy_choice(h200, 132 * 2 * 32768, true).in_flight, 8U);
}

TEST(CopyChoice, WhatFitsIntoTheCacheMayStayThere) {
    EXPECT_EQ(copy_choice(h200, std::size_t{30} << 20, true).hint, Hint::plain);
    EXPECT_EQ(copy_choice(h200, (std::size_t{30} << 20) + 1, true).hint, Hint::streaming);
}

TEST(CopyChoice, AGpuThatNeedsMoreInFlightGetsMore) {
    EXPECT_EQ(copy_choice(h200, std::size_t{1} << 30, true), (CopyChoice{.in_flight = 12, .hint = Hint::streaming}));
    EXPECT_EQ(copy_choice(a100, std::size_t{1} << 30, true), (CopyChoice{.in_flight = 8, .hint = Hint::streaming}));
}

TEST(CopyChoice, AddressesThatDoNotStandAlikeHaveAKernelOfTheirOwn) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{17}, std::size_t{1} << 30})
        EXPECT_EQ(copy_choice(h200, bytes, false).kernel, CopyKernel::misaligned) << bytes;
}

}  // namespace
}  // namespace tocuda
