// tocuda, Apache-2.0.
// Arithmetic on the CPU: its results against a slow and simple reference, and that each wrong one is found.
#include "kernels/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "kernels/number_types.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

std::vector<Arithmetic> every_arithmetic() {
    std::vector<Arithmetic> all;
    for (const bool alone : {false, true}) {
        for (std::size_t number = 0; number < arithmetic_number_words.size(); ++number)
            all.push_back({ArithmeticOperation::fma, static_cast<ArithmeticNumber>(number), alone, 1, 2});
        for (const auto operation : {ArithmeticOperation::divide, ArithmeticOperation::square_root})
            for (const auto number : {ArithmeticNumber::float32, ArithmeticNumber::float64})
                all.push_back({operation, number, alone, 1, 2});
    }
    return all;
}

std::string words(const Arithmetic& of) {
    return std::string(arithmetic_number_words[static_cast<std::size_t>(of.number)]) + " operation " +
           std::to_string(static_cast<int>(of.operation)) + (of.alone ? " alone" : "");
}

std::vector<std::byte> results_of(const Arithmetic& of, ThreadOrder order = ThreadOrder::ascending) {
    std::vector<std::byte> results(of.result_bytes());
    launches() = {.order = order};
    launch_arithmetic(Stream(), of, results.data());
    launches() = {};
    return results;
}

TEST(Arithmetic, IsRightInAnyOrderOfThreads) {
    for (const auto& each : every_arithmetic())
        for (const auto order : thread_orders)
            EXPECT_EQ(wrong_with(each, results_of(each, order)), "") << words(each) << ", " << word(order);
}

TEST(Arithmetic, NothingDoneIsWrong) {
    for (const auto& each : every_arithmetic())
        for (const auto filling : {std::byte{0}, std::byte{0xFF}})
            EXPECT_NE(wrong_with(each, std::vector(each.result_bytes(), filling)), "") << words(each);
}

TEST(Arithmetic, OneWrongBitIsWrong) {
    for (const auto& each : every_arithmetic()) {
        auto results = results_of(each);
        results[results.size() - each.number_bytes()] ^= std::byte{1};
        EXPECT_NE(wrong_with(each, results), "") << words(each);
    }
}

TEST(Arithmetic, ARoundLeftOutIsWrong) {
    for (const auto& each : every_arithmetic()) {
        if (each.number == ArithmeticNumber::bfloat162) continue;  // so few bits that a chain soon repeats itself
        auto less = each;
        less.rounds = 1;
        EXPECT_NE(wrong_with(each, results_of(less)), "") << words(each);
    }
}

// Of all small numbers the nearest one, an even one if two are as near.
template <class Small>
Small nearest(double exact) {
    Small best{};
    double distance = std::numeric_limits<double>::infinity();
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const Small one{static_cast<std::uint16_t>(bits)};
        const auto off = std::abs(widened_by_bits(one) - exact);
        if (off < distance || (off == distance && bits % 2 == 0 && widened_by_bits(one) != 0)) {
            best = one;
            distance = off;
        }
    }
    return best;
}

template <class Small>
void expect_pairs_rounded_once(ArithmeticNumber number) {
    const Arithmetic of{ArithmeticOperation::fma, number, true, 1, 1};
    const auto results = results_of(of);
    for (unsigned thread = 0; thread < 4; ++thread) {
        Small x = nearest<Small>((1 + thread) / 32.0);
        for (std::int64_t step = 0; step < of.steps(); ++step) {
            const double factor = widened_by_bits(nearest<Small>(step % 2 == 0 ? 1.75 : -0.57));
            const double term = widened_by_bits(nearest<Small>(step % 2 == 0 ? 0.3 : 0.7));
            x = nearest<Small>(factor * widened_by_bits(x) + term);
        }
        std::uint32_t found = 0;
        std::memcpy(&found, results.data() + thread * sizeof found, sizeof found);
        EXPECT_EQ(found, x.bits * 0x10001U) << "thread " << thread;
    }
}

TEST(Arithmetic, PairsAreRoundedOnce) {
    expect_pairs_rounded_once<Half>(ArithmeticNumber::half2);
    expect_pairs_rounded_once<BFloat16>(ArithmeticNumber::bfloat162);
}

TEST(Arithmetic, OperationsAreCounted) {
    const auto counted = [](ArithmeticOperation operation, ArithmeticNumber number) {
        return Arithmetic{operation, number, false, 3, 2}.operations() / (3 * 1024 * 8 * 2);
    };
    EXPECT_EQ(counted(ArithmeticOperation::fma, ArithmeticNumber::float32), 32 * 2);
    EXPECT_EQ(counted(ArithmeticOperation::fma, ArithmeticNumber::int32), 32 * 2);
    EXPECT_EQ(counted(ArithmeticOperation::fma, ArithmeticNumber::half2), 32 * 4);
    EXPECT_EQ(counted(ArithmeticOperation::divide, ArithmeticNumber::float64), 4);
    EXPECT_EQ(counted(ArithmeticOperation::square_root, ArithmeticNumber::float32), 4);
}

}  // namespace
}  // namespace tocuda
