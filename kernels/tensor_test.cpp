// tocuda, Apache-2.0.
// Tests the products of tensor cores on the CPU: what the registers hold, and that each wrong sum is found.
#include "kernels/tensor.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "kernels/number_types.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

constexpr std::array numbers{TensorNumber::half, TensorNumber::bfloat16, TensorNumber::tf32, TensorNumber::int8,
                             TensorNumber::float8};

std::string word(TensorNumber number) { return std::string(tensor_number_words[static_cast<std::size_t>(number)]); }

int value_of(TensorNumber number, std::uint32_t bits) {
    switch (number) {
        case TensorNumber::half:
            return static_cast<int>(widened_by_bits(Half{static_cast<std::uint16_t>(bits)}));
        case TensorNumber::bfloat16:
            return static_cast<int>(widened_by_bits(BFloat16{static_cast<std::uint16_t>(bits)}));
        case TensorNumber::tf32:
            return static_cast<int>(std::bit_cast<float>(bits));
        case TensorNumber::int8:
            return static_cast<std::int8_t>(bits);
        case TensorNumber::float8:
            break;
    }
    return static_cast<int>(widened_by_bits(Float8E4M3{static_cast<std::uint8_t>(bits)}));
}

// A factor as the registers of all lanes hold it, by (row or column, place), as PTX defines each shape's fragments.
using Matrix = std::map<std::pair<unsigned, unsigned>, int>;
Matrix from_registers(TensorNumber number, unsigned registers, bool left, unsigned turn) {
    const auto depth = tensor_depth(number);
    const auto each = depth / 8;  // numbers in a register
    Matrix matrix;
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned which = 0; which < registers; ++which)
            for (unsigned i = 0; i < each; ++i) {
                const auto whole =
                    left ? left_register(number, lane, which) : right_register(number, lane, which, turn);
                const auto bits = whole >> 32 / each * i;
                const auto half = left ? which / 2 : which;
                const auto outer = lane / 4 + (left && which % 2 == 1 ? 8 : 0);
                matrix[{outer, lane % 4 * each + i + half * depth / 2}] = value_of(number, bits);
            }
    return matrix;
}

TEST(TensorFactors, FillEachPlaceOfTheFragmentsWithTheirNumber) {
    for (const auto number : numbers) {
        const auto left = from_registers(number, 4, true, 0);
        EXPECT_EQ(left.size(), std::size_t{16} * tensor_depth(number)) << word(number);
        for (const auto& [at, value] : left) EXPECT_EQ(value, left_factor(at.first, at.second)) << word(number);
        for (const unsigned turn : {0U, 1U}) {
            const auto right = from_registers(number, 2, false, turn);
            EXPECT_EQ(right.size(), std::size_t{8} * tensor_depth(number)) << word(number);
            for (const auto& [at, value] : right)
                EXPECT_EQ(value, right_factor(at.second, at.first, turn)) << word(number);
        }
    }
}

TEST(TensorFactors, ThatAreTransposedOrShiftedGiveOtherSums) {
    const auto sum = [](unsigned depth, const auto& left, const auto& right) {
        int all = 0;
        for (unsigned place = 0; place < depth; ++place) all += left(place) * right(place);
        return all;
    };
    for (const unsigned depth : {8U, 16U, 32U}) {
        unsigned unlike = 0;
        for (unsigned row = 0; row < 8; ++row)
            for (unsigned column = 0; column < 8; ++column)
                unlike += sum(
                              depth, [&](unsigned place) { return left_factor(row, place); },
                              [&](unsigned place) { return right_factor(place, column, 0); }) !=
                          sum(
                              depth, [&](unsigned place) { return left_factor(column, place); },
                              [&](unsigned place) { return right_factor(place, row, 0); });
        EXPECT_GT(unlike, 20U) << depth;
    }
}

std::vector<TensorProducts> every_product() {
    std::vector<TensorProducts> all;
    for (const auto number : numbers)
        for (const bool alone : {false, true})
            for (const bool grouped : {false, true}) all.push_back({number, alone, grouped, 1, 2});
    return all;
}

std::vector<std::byte> sums_of(const TensorProducts& of, ThreadOrder order = ThreadOrder::ascending) {
    std::vector<std::byte> sums(of.result_bytes());
    TensorTime time;
    launches() = {.order = order};
    launch_tensor_products(Stream(), of, sums.data(), &time);
    launches() = {};
    return sums;
}

TEST(TensorProducts, AreRightInAnyOrderOfThreads) {
    for (const auto& each : every_product())
        for (const auto order : thread_orders)
            EXPECT_EQ(wrong_with(each, sums_of(each, order)), "") << word(each.number) << ", " << tocuda::word(order);
}

TEST(TensorProducts, NothingDoneIsWrong) {
    for (const auto& each : every_product())
        for (const auto filling : {std::byte{0}, std::byte{0xFF}})
            EXPECT_NE(wrong_with(each, std::vector(each.result_bytes(), filling)), "") << word(each.number);
}

TEST(TensorProducts, AStepTooFewOrTooManyIsWrong) {
    for (auto each : every_product()) {
        const auto sums = sums_of(each);
        for (const unsigned rounds : {1U, 3U}) {
            each.rounds = rounds;
            EXPECT_NE(wrong_with(each, sums), "") << word(each.number);
        }
    }
}

TEST(TensorProducts, OneWrongBitIsWrong) {
    for (const auto& each : every_product()) {
        auto sums = sums_of(each);
        sums[sums.size() - 4] ^= std::byte{1};
        EXPECT_NE(wrong_with(each, sums), "") << word(each.number);
    }
}

TEST(TensorProducts, CountMultiplicationsAndAdditions) {
    const TensorProducts half{.number = TensorNumber::half, .multiprocessors = 3, .rounds = 2};
    EXPECT_EQ(half.steps(), 33);
    EXPECT_EQ(half.operations(), std::int64_t{3} * 16 * 8 * 33 * 16 * 8 * 16 * 2);  // warps, chains, steps, a step
    const TensorProducts grouped{.number = TensorNumber::half, .grouped = true, .multiprocessors = 3, .rounds = 2};
    EXPECT_EQ(grouped.operations(), std::int64_t{3} * 2 * 33 * 64 * 64 * 16 * 2);  // groups, steps, a step
}

}  // namespace
}  // namespace tocuda
