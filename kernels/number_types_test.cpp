// tocuda, Apache-2.0.
// Conversions are compared with known patterns and with an exact search over all values of the type.
#include "kernels/number_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tocuda {
namespace {

constexpr auto infinity = std::numeric_limits<float>::infinity();
constexpr auto no_number = std::numeric_limits<float>::quiet_NaN();

// Returns the value of a pattern by definition. The pattern above the largest has the value that would come next.
template <class Small>
double meaning(std::uint32_t magnitude) {
    constexpr int bias = (1 << (Small::exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(magnitude >> Small::mantissa_bits);
    const auto fraction =
        static_cast<double>(magnitude & ((1U << Small::mantissa_bits) - 1)) / (1U << Small::mantissa_bits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

// The patterns from zero up to this one, exclusive, are finite numbers.
template <class Small>
std::uint32_t finite() {
    return BitsOf<Small>::beyond;
}

template <class Small>
std::uint32_t nearest(float value) {
    const std::uint32_t sign = std::signbit(value) ? 1U << (BitsOf<Small>::width - 1) : 0;
    if (std::isnan(value)) return BitsOf<Small>::no_number | sign;
    const double wanted = std::fabs(static_cast<double>(value));
    std::uint32_t low = 0;
    std::uint32_t high = finite<Small>();
    if (wanted >= meaning<Small>(high)) return high | sign;
    while (high - low > 1) (meaning<Small>((low + high) / 2) <= wanted ? low : high) = (low + high) / 2;
    const auto below = wanted - meaning<Small>(low);
    const auto above = meaning<Small>(high) - wanted;
    return (below < above || (below == above && low % 2 == 0) ? low : high) | sign;
}

template <class Small>
std::string wrong_narrowing(float value) {
    const std::uint32_t found = narrowed<Small>(value).bits;
    return found == nearest<Small>(value) ? ""
                                          : std::to_string(value) + " became " + std::to_string(found) + ", not " +
                                                std::to_string(nearest<Small>(value));
}

template <class Small>
class SmallNumbers : public testing::Test {};
using EverySmall = testing::Types<Half, BFloat16, Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(SmallNumbers, EverySmall, );

TYPED_TEST(SmallNumbers, WidenExactlyAndConvertBack) {
    using Bits = decltype(TypeParam::bits);
    for (std::uint32_t bits = 0; bits < 1U << BitsOf<TypeParam>::width; ++bits) {
        const TypeParam number{static_cast<Bits>(bits)};
        const auto magnitude = bits & BitsOf<TypeParam>::no_number;
        const auto wide = widened(number);
        EXPECT_EQ(std::signbit(wide), magnitude != bits) << bits;
        if (magnitude < finite<TypeParam>()) {
            EXPECT_EQ(std::fabs(static_cast<double>(wide)), meaning<TypeParam>(magnitude)) << bits;
            EXPECT_EQ(narrowed<TypeParam>(wide).bits, bits);
        } else if (TypeParam::has_infinity && magnitude == finite<TypeParam>()) {
            EXPECT_TRUE(std::isinf(wide)) << bits;
            EXPECT_EQ(narrowed<TypeParam>(wide).bits, bits);
        } else {
            EXPECT_TRUE(std::isnan(wide)) << bits;
            EXPECT_EQ(narrowed<TypeParam>(wide).bits, bits | BitsOf<TypeParam>::no_number);
        }
    }
}

TYPED_TEST(SmallNumbers, RoundToNearestBetweenNeighbours) {
    for (std::uint32_t low = 0; low < finite<TypeParam>(); ++low) {
        const auto from = static_cast<float>(meaning<TypeParam>(low));
        const auto middle = static_cast<float>((meaning<TypeParam>(low) + meaning<TypeParam>(low + 1)) / 2);
        for (const auto value : {from, std::nextafter(from, infinity), std::nextafter(middle, 0.0F), middle,
                                 std::nextafter(middle, infinity)}) {
            ASSERT_EQ(wrong_narrowing<TypeParam>(value), "");
            ASSERT_EQ(wrong_narrowing<TypeParam>(-value), "");
        }
    }
}

TYPED_TEST(SmallNumbers, AreRightForEveryExponentAndNaN) {
    for (std::uint32_t high = 0; high < 1U << 16; high += 7)
        for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
            const auto value = std::bit_cast<float>(high << 16 | low);
            ASSERT_EQ(wrong_narrowing<TypeParam>(value), "");
        }
    for (const auto value :
         {infinity, -infinity, no_number, -no_number, std::numeric_limits<float>::max(), 464.0F, 465.0F, 1e-45F})
        EXPECT_EQ(wrong_narrowing<TypeParam>(value), "");
}

template <class Small>
class Fours : public testing::Test {};
using EveryFour = testing::Types<Float8E4M3, Float8E5M2>;
TYPED_TEST_SUITE(Fours, EveryFour, );

// Each number is converted at each place, beside each kind of other ones.
TYPED_TEST(Fours, AreFourNumbers) {
    const std::vector<float> others{0.0F, -1.0F, infinity, -no_number, 464.0F, 465.0F, -61440.0F, 61439.0F};
    for (std::uint32_t high = 0; high < 1U << 16; ++high)
        for (const std::uint32_t low : {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
            float each[4];
            for (unsigned i = 0; i < 4; ++i) each[i] = others[(high + i) % others.size()];
            each[high / 2 % 4] = std::bit_cast<float>(high << 16 | low);
            const auto four = narrowed_four<TypeParam>(each);
            for (unsigned i = 0; i < 4; ++i)
                ASSERT_EQ(four >> 8 * i & 0xff, narrowed<TypeParam>(each[i]).bits) << each[i] << " at " << i;
        }
}

// What a GPU's instruction does, which has no infinity.
TEST(Numbers, SaturateToTheLargestInPairs) {
    EXPECT_EQ((saturated_pair<Float8E4M3>(1e9F, -infinity)), 0xfe7e);
    EXPECT_EQ((saturated_pair<Float8E5M2>(infinity, -61440.0F)), 0xfb7b);
    EXPECT_EQ((saturated_pair<Float8E5M2>(-no_number, 57344.0F)), 0x7b7f);
}

// Converts one small type to another through float, which can represent all of their values.
template <class From, class To>
std::string wrong_between() {
    for (std::uint32_t bits = 0; bits < 1U << BitsOf<From>::width; ++bits) {
        const From number{static_cast<decltype(From::bits)>(bits)};
        if (converted<To>(number).bits != nearest<To>(widened(number))) return std::to_string(bits);
    }
    return "";
}

TEST(Numbers, BetweenSmallTypesAreRight) {
    EXPECT_EQ((wrong_between<Half, BFloat16>()), "");
    EXPECT_EQ((wrong_between<Half, Float8E4M3>()), "");
    EXPECT_EQ((wrong_between<Half, Float8E5M2>()), "");
    EXPECT_EQ((wrong_between<BFloat16, Half>()), "");
    EXPECT_EQ((wrong_between<BFloat16, Float8E4M3>()), "");
    EXPECT_EQ((wrong_between<BFloat16, Float8E5M2>()), "");
}

TEST(Numbers, HaveKnownPatterns) {
    EXPECT_EQ(narrowed<Half>(1.0F).bits, 0x3c00);
    EXPECT_EQ(narrowed<Half>(65504.0F).bits, 0x7bff);
    EXPECT_EQ(narrowed<Half>(65519.0F).bits, 0x7bff);
    EXPECT_EQ(narrowed<Half>(65520.0F).bits, 0x7c00);
    EXPECT_EQ(narrowed<Half>(5.9604645e-8F).bits, 0x0001);
    EXPECT_EQ(narrowed<BFloat16>(3.14159265F).bits, 0x4049);
    EXPECT_EQ(narrowed<BFloat16>(-infinity).bits, 0xff80);
    EXPECT_EQ(narrowed<Float8E4M3>(448.0F).bits, 0x7e);
    EXPECT_EQ(narrowed<Float8E4M3>(464.0F).bits, 0x7e);
    EXPECT_EQ(narrowed<Float8E4M3>(465.0F).bits, 0x7f);
    EXPECT_EQ(narrowed<Float8E4M3>(-infinity).bits, 0xff);
    EXPECT_EQ(narrowed<Float8E4M3>(0.001953125F).bits, 0x01);
    EXPECT_EQ(narrowed<Float8E5M2>(57344.0F).bits, 0x7b);
    EXPECT_EQ(narrowed<Float8E5M2>(61440.0F).bits, 0x7c);
    EXPECT_EQ(narrowed<Float8E5M2>(no_number).bits, 0x7f);
}

// 1 + 2^-11 + 2^-40: rounded once it is the next half above 1; rounded to float first it is a tie, which goes to the
// even 1.
TEST(Numbers, FromDoubleRoundTwice) { EXPECT_EQ(converted<Half>(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3c00); }

TEST(Numbers, BetweenDoubleAndFloatMatchTheLanguage) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(converted<float>(0.1)), 0x3dcccccdU);
    EXPECT_EQ(converted<double>(0.1F), static_cast<double>(0.1F));
}

}  // namespace
}  // namespace tocuda
