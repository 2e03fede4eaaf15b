// tocuda, Apache-2.0.
// Atomic operations on the CPU, and that each lost one is found.
#include "kernels/atomics.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels/direct_runtime_test.hpp"
#include "kernels/half_pair.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

std::vector<Atomics> every_kind() {
    std::vector<Atomics> all;
    for (const bool spread : {true, false}) {
        for (const auto number : {AtomicNumber::int32, AtomicNumber::int64})
            all.push_back({AtomicOperation::cas, number, spread});
        for (const bool used : {true, false}) {
            for (const auto number :
                 {AtomicNumber::int32, AtomicNumber::int64, AtomicNumber::float32, AtomicNumber::half2})
                all.push_back({AtomicOperation::add, number, spread, used});
            for (const auto number : {AtomicNumber::int32, AtomicNumber::int64})
                all.push_back({AtomicOperation::max, number, spread, used});
        }
    }
    return all;
}

std::string words(const Atomics& of) {
    return std::string(atomic_number_words[static_cast<std::size_t>(of.number)]) + " operation " +
           std::to_string(static_cast<int>(of.operation)) + (of.spread ? " spread" : " one") +
           (of.used ? " used" : " unused");
}

struct Left {
    std::vector<std::byte> target;
    std::vector<std::uint64_t> found;

    explicit Left(const Atomics& atomics) : target(atomics.target_bytes()), found(atomics.threads()) {}
    Left(const Atomics& atomics, ThreadOrder order) : Left(atomics) {
        launches() = {.order = order};
        launch_atomics(Stream(), atomics, target.data(), found.data());
        launches() = {};
    }
};

TEST(Atomics, AreRightInAnyOrderOfThreads) {
    for (const auto& each : every_kind())
        for (const auto order : thread_orders) {
            const Left left(each, order);
            EXPECT_EQ(wrong_with(each, left.target, left.found), "") << words(each) << ", " << word(order);
        }
}

TEST(Atomics, NothingDoneIsWrong) {
    for (const auto& each : every_kind()) {
        const Left left(each);
        EXPECT_NE(wrong_with(each, left.target, left.found), "") << words(each);
    }
}

TEST(Atomics, OneLostOperationIsWrong) {
    for (const auto& each : every_kind()) {
        Left left(each, ThreadOrder::seeded);
        auto* const last = left.target.data() + left.target.size() - each.number_bytes();
        if (each.number == AtomicNumber::half2) {
            HalfPair sum;
            std::memcpy(&sum, last, sizeof sum);
            sum = sum + HalfPair::of(-1, 1);
            std::memcpy(last, &sum, sizeof sum);
        } else if (each.number == AtomicNumber::float32) {
            float sum = 0;
            std::memcpy(&sum, last, sizeof sum);
            --sum;
            std::memcpy(last, &sum, sizeof sum);
        } else {
            std::uint32_t low = 0;
            std::memcpy(&low, last, sizeof low);
            --low;
            std::memcpy(last, &low, sizeof low);
        }
        EXPECT_NE(wrong_with(each, left.target, left.found), "") << words(each);
    }
}

TEST(Atomics, WrongAnswerIsWrong) {
    for (const auto& each : every_kind()) {
        const bool many_answers =
            !each.spread && (each.operation == AtomicOperation::max || (each.number == AtomicNumber::half2));
        if (!each.used || many_answers) continue;
        Left left(each, ThreadOrder::ascending);
        left.found.back() ^= 1;
        EXPECT_NE(wrong_with(each, left.target, left.found), "") << words(each);
    }
}

TEST(HalfPair, AddsBothHalves) {
    EXPECT_EQ(HalfPair::of(1, -2) + HalfPair::of(0.5, 2047), HalfPair::of(1.5, 2045));
    EXPECT_EQ(HalfPair::of(1, -1), (HalfPair{0xbc003c00}));
    EXPECT_EQ(HalfPair::of(2048, 0) + HalfPair::of(1, 0), HalfPair::of(2048, 0)) << "half numbers count to 2048";
}

}  // namespace
}  // namespace tocuda
