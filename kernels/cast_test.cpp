// tocuda, Apache-2.0.
// The casts on the CPU: sizes, alignments, thread orders, bounds, and the ends of a cast of more than 4 Gi numbers.
#include "kernels/cast.hpp"

#include <gtest/gtest.h>

#include "kernels/casts.hpp"
#include "kernels/copied_test.hpp"

namespace tocuda {
namespace {

constexpr std::array<std::size_t, 14> counts{0, 1, 3, 4, 15, 16, 17, 255, 2047, 8191, 8192, 8193, 10007, 99'991};

struct Standing {
    std::size_t to = 0;  // numbers past a multiple of 128 bytes
    std::size_t from = 0;
};

// Casts arbitrary bytes. The source ends at the end of its allocation; the target lies between guards.
template <class From, class To>
std::string wrong_cast(std::size_t count, Standing standing, unsigned most_blocks, ThreadOrder order) {
    const auto source = aligned_bytes((standing.from + count) * sizeof(From));
    for (std::size_t i = 0; i < (standing.from + count) * sizeof(From); ++i) source[i] = copied_payload(i);
    const std::span from(reinterpret_cast<const From*>(source.get()) + standing.from, count);
    const auto start = 2 * guard_bytes + standing.to * sizeof(To);
    const auto all = start + count * sizeof(To) + guard_bytes;
    const auto target = aligned_bytes(all);
    const auto expected = aligned_bytes(all);
    std::fill_n(target.get(), all, guard);
    std::fill_n(expected.get(), all, guard);
    cast_reference(std::span(reinterpret_cast<To*>(expected.get() + start), count), from);
    run_on_host(Cast<From, To>::grid(count, most_blocks), order, Cast<From, To>{},
                reinterpret_cast<To*>(target.get() + start), from.data(), count);
    const auto difference = first_difference(std::span(expected.get(), all), std::span(target.get(), all));
    return difference ? "byte " + std::to_string(static_cast<std::ptrdiff_t>(*difference - start)) + " of " +
                            std::to_string(count) + " numbers"
                      : "";
}

template <class Types>
class Casts : public testing::Test {};
using EveryCast =
    testing::Types<TypePair<double, float>, TypePair<float, double>, TypePair<float, Half>, TypePair<float, BFloat16>,
                   TypePair<float, Float8E4M3>, TypePair<float, Float8E5M2>, TypePair<Half, float>,
                   TypePair<BFloat16, float>, TypePair<Float8E4M3, float>, TypePair<Float8E5M2, float>>;
TYPED_TEST_SUITE(Casts, EveryCast, );

TYPED_TEST(Casts, ConvertEveryNumberAndNothingElse) {
    for (const auto count : counts)
        for (const auto order : thread_orders)
            for (const unsigned most_blocks : {0U, 2U})
                ASSERT_EQ((wrong_cast<typename TypeParam::From, typename TypeParam::To>(count, {}, most_blocks, order)),
                          "")
                    << word(order);
}

TYPED_TEST(Casts, WorkAtEveryAlignment) {
    for (std::size_t to = 0; to < 9; ++to)
        for (std::size_t from = 0; from < 9; ++from)
            for (const std::size_t count : {1, 15, 17, 2500})
                ASSERT_EQ((wrong_cast<typename TypeParam::From, typename TypeParam::To>(count, {to, from}, 0,
                                                                                        ThreadOrder::ascending)),
                          "")
                    << to << ' ' << from;
}

TEST(Cast, EndsOfMoreThanFourGiNumbers) {
    using Kernel = Cast<float, BFloat16>;
    const auto count = (std::size_t{1} << 32) + 8192 + 7;  // a vector in the last block, three numbers after it
    const Reserved source(count * sizeof(float));
    const Reserved target((count + 64) * sizeof(BFloat16));
    ASSERT_NE(source.get(), nullptr);
    ASSERT_NE(target.get(), nullptr);
    auto* from = reinterpret_cast<float*>(source.get());
    auto* to = reinterpret_cast<BFloat16*>(target.get());
    from[0] = 1;
    from[count - 1] = 2;
    from[count - 7] = 3;
    const auto grid = Kernel::grid(count);
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, Kernel{}, to,
                       static_cast<const float*>(from), count);
    EXPECT_EQ(to[0].bits, 0x3f80);
    EXPECT_EQ(to[count - 1].bits, 0x4000);
    EXPECT_EQ(to[count - 7].bits, 0x4040);
    EXPECT_EQ(to[count].bits, 0);
}

TEST(Cast, ExistsBetweenFloatAndEveryOtherType) {
    EXPECT_TRUE(has_cast(Number::float64, Number::float32));
    EXPECT_TRUE(has_cast(Number::float8_e4m3, Number::float32));
    EXPECT_FALSE(has_cast(Number::float32, Number::float32));
    EXPECT_FALSE(has_cast(Number::float64, Number::float16));
}

}  // namespace
}  // namespace tocuda
