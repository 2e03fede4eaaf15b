// tocuda, Apache-2.0.
#include "computing/philox.hpp"

#include <gtest/gtest.h>

namespace tocuda::computing {
namespace {

// Random123, tests/kat_vectors: philox4x32 with 10 rounds.
TEST(Philox, GivesKnownAnswers) {
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (FourWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
              (FourWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (FourWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, CountsCallsInTheLowerHalfAndThreadsInTheUpper) {
    const Philox drawn{.seed = 0x299f31d0a4093822, .offset = 4 * (0x85a308d3243f6a88 - 7 - (std::uint64_t{2} << 62))};
    EXPECT_EQ(drawn(0x0370734413198a2e, 7 + (std::uint64_t{2} << 62)),
              (FourWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    EXPECT_EQ((Philox{.seed = 0, .offset = 8}).word(0, 1), (Philox{.seed = 0, .offset = 0}).word(0, 9));
}

TEST(Philox, UniformNumbersAreAboveZeroUpToOne) {
    EXPECT_EQ(Uniform::one(0), 0x1p-33F);
    EXPECT_EQ(Uniform::one(~0U), 1.0F);
    EXPECT_EQ(UniformDouble::one(0, 0), 0x1p-54);
    EXPECT_EQ(UniformDouble::one(0x1fffff, ~0U), 1.0);
}

TEST(Philox, LongWordsBeginWithTheUpperHalf) {
    EXPECT_EQ(LongWords::from({1, 2, 3, 4}), (std::array<std::uint64_t, 2>{0x100000002, 0x300000004}));
}

TEST(Philox, NormalNumbersAreASineAndACosine) {
    const auto numbers = Normal::from({0x80000000, 0x40000000, 0x80000000, 0});
    const float radius = std::sqrt(2 * std::log(2.0F));
    EXPECT_NEAR(numbers[0], radius, 1e-6);  // a quarter turn
    EXPECT_NEAR(numbers[1], 0, 1e-6);
    EXPECT_NEAR(numbers[2], 0, 1e-6);
    EXPECT_NEAR(numbers[3], radius, 1e-6);
    const auto doubles = NormalDouble::from({0, 1U << 31, 0, 1U << 30});
    EXPECT_NEAR(doubles[0], std::sqrt(2 * std::log(2.0)), 1e-12);
    EXPECT_NEAR(doubles[1], 0, 1e-12);
}

}  // namespace
}  // namespace tocuda::computing
