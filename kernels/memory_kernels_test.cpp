// tocuda, Apache-2.0.
// Compares read, write, scale, triad and dot on the CPU with their references.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "kernels/bulk_triad.hpp"
#include "kernels/copied_test.hpp"
#include "kernels/memory_dot.hpp"
#include "kernels/memory_read.hpp"
#include "kernels/memory_scale.hpp"
#include "kernels/memory_triad.hpp"
#include "kernels/memory_write.hpp"
#include "kernels/number_payload.hpp"

namespace tocuda {
namespace {

using Read = ReadAll<8, Hint::no_allocate>;

std::uint32_t read_on_host(std::span<const std::byte> from, unsigned multiprocessors, ThreadOrder order) {
    const auto grid = Read::grid(from.size(), multiprocessors);
    std::vector<std::uint32_t> sums(grid.blocks, 0xC3C3C3C3U);
    run_on_host(grid, order, Read{}, sums.data(), from.data(), from.size());
    return std::accumulate(sums.begin(), sums.end(), 0U,
                           [](std::uint32_t one, std::uint32_t other) { return one ^ other; });
}

class EveryBytes : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Memory, EveryBytes, testing::Values(0, 1, 15, 16, 17, 255, 4096, 10'007, 32768, 99'991),
                         [](const auto& each) { return std::to_string(each.param); });

TEST_P(EveryBytes, AreAllRead) {
    const auto source = aligned_bytes(GetParam());
    for (std::size_t i = 0; i < GetParam(); ++i) source[i] = copied_payload(i);
    const std::span<const std::byte> from(source.get(), GetParam());
    for (const auto order : thread_orders) EXPECT_EQ(read_on_host(from, 1, order), read_reference(from)) << word(order);
}

TEST_P(EveryBytes, AreAllWrittenAndNothingElse) {
    using Write = WriteAll<Hint::streaming_store>;
    const auto all = GetParam() + guard_bytes;
    std::vector<std::byte> expected(all, guard);
    write_reference(std::span(expected).first(GetParam()), 0);
    for (const auto order : thread_orders) {
        const auto found = aligned_bytes(all);
        std::fill_n(found.get(), all, guard);
        run_on_host(Write::grid(GetParam()), order, Write{}, found.get(), GetParam());
        EXPECT_EQ(first_difference(expected, std::span(found.get(), all)), std::nullopt) << word(order);
    }
}

TEST(MemoryRead, EveryByteCounts) {
    const auto source = aligned_bytes(5003);
    std::fill_n(source.get(), 5003, std::byte{0});
    const std::span<const std::byte> from(source.get(), 5003);
    for (std::size_t i = 0; i < 5003; i += 7) {
        source[i] = std::byte{1};
        EXPECT_NE(read_on_host(from, 1, ThreadOrder::ascending), 0U) << i;
        source[i] = std::byte{0};
    }
}

TEST(MemoryWrite, VectorsDiffer) {
    EXPECT_NE(written_vector(1).words[0], written_vector(2).words[0]);
    EXPECT_NE(written_vector(1).words[0], written_vector(1 + (std::size_t{1} << 32)).words[0]);
}

TEST(MemoryWrite, EndsOfMoreThanFourGiElements) {
    using Write = WriteAll<Hint::plain>;
    const auto tile = std::size_t{Write::threads} * Write::in_flight * sizeof(Vector16);
    const auto bytes = (std::size_t{1} << 36) + 2 * tile;
    const Reserved target(bytes + 64);
    ASSERT_NE(target.get(), nullptr) << "not enough address space";
    const auto grid = Write::grid(bytes);
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, Write{}, target.get(), bytes);
    std::vector<std::byte> expected(tile);
    for (const auto place : {std::size_t{0}, bytes - tile}) {
        write_reference(expected, place);
        EXPECT_EQ(first_difference(expected, {target.get() + place, tile}), std::nullopt) << place;
    }
    EXPECT_EQ(target.get()[bytes], std::byte{0});
}

std::vector<double> numbers(std::size_t count, std::size_t place, unsigned bits) {
    std::vector<double> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = payload_number(place + i, bits);
    return all;
}

class EveryCount : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Memory, EveryCount, testing::Values(0, 1, 2, 15, 16, 17, 4096, 4097, 10'007, 32'771),
                         [](const auto& each) { return std::to_string(each.param); });

TEST_P(EveryCount, IsScaled) {
    const auto c = numbers(GetParam(), 5, bits_for_one_sum);
    for (const auto order : thread_orders) {
        std::vector<double> expected(GetParam() + 8, -1);
        auto b = expected;
        scale_reference(std::span(expected).first(GetParam()), c);
        run_on_host(Scale::grid(GetParam()), order, Scale{}, b.data(), c.data(), GetParam());
        EXPECT_EQ(b, expected) << word(order);
    }
}

TEST_P(EveryCount, IsTheTriad) {
    const auto b = numbers(GetParam(), 5, bits_for_one_sum);
    const auto c = numbers(GetParam(), 100'000, bits_for_one_sum);
    for (const auto order : thread_orders) {
        std::vector<double> expected(GetParam() + 8, -1);
        auto a = expected;
        triad_reference(std::span(expected).first(GetParam()), b, c);
        for (const unsigned tiles : {1U, 2U, 4U}) {
            const Triad<2, Hint::streaming_store> triad{.tiles = tiles};
            std::fill(a.begin(), a.end(), -1);
            run_on_host(triad.grid(GetParam()), order, triad, a.data(), b.data(), c.data(), GetParam());
            EXPECT_EQ(a, expected) << word(order) << ", " << tiles << " tiles per block";
        }
    }
}

TEST_P(EveryCount, IsTheTriadFromSharedMemory) {
    const auto b = numbers(GetParam(), 5, bits_for_one_sum);
    const auto c = numbers(GetParam(), 100'000, bits_for_one_sum);
    for (const auto order : thread_orders)
        for (const BulkTriad triad :
             {BulkTriad{.tile_bytes = 4096, .stages = 2}, BulkTriad{.tile_bytes = 128, .stages = 3}}) {
            std::vector<double> expected(GetParam() + 8, -1);
            auto a = expected;
            triad_reference(std::span(expected).first(GetParam()), b, c);
            run_on_host(triad.grid(GetParam(), 2, 1), order, triad, a.data(), b.data(), c.data(), GetParam());
            EXPECT_EQ(a, expected) << word(order) << ", tiles of " << triad.tile_bytes;
        }
}

TEST(MemoryTriad, FewerBlocksThanTheTilesNeed) {
    constexpr std::size_t count = 70'001;
    const auto b = numbers(count, 5, bits_for_one_sum);
    const auto c = numbers(count, 100'000, bits_for_one_sum);
    std::vector<double> expected(count);
    triad_reference(expected, b, c);
    for (const unsigned blocks : {1U, 3U}) {
        std::vector<double> a(count, -1);
        run_on_host(Grid{.blocks = blocks, .threads = 256}, ThreadOrder::ascending, Triad<4>{.tiles = 2}, a.data(),
                    b.data(), c.data(), count);
        EXPECT_EQ(a, expected) << blocks << " blocks";
    }
}

TEST_P(EveryCount, IsSummed) {
    const auto a = numbers(GetParam(), 5, bits_for_sums_of_products);
    const auto b = numbers(GetParam(), 100'000, bits_for_sums_of_products);
    const auto grid = Dot::grid(GetParam(), 1);
    for (const auto order : thread_orders) {
        std::vector<double> sums(grid.blocks, -1);
        run_on_host(grid, order, Dot{}, sums.data(), a.data(), b.data(), GetParam());
        EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), dot_reference(a, b)) << word(order);
    }
}

TEST(NumberPayload, StaysWithinItsBits) {
    double most = 0;
    double least = 0;
    for (std::size_t i = 0; i < 100'000; ++i) {
        most = std::max(most, payload_number(i, bits_for_sums_of_products));
        least = std::min(least, payload_number(i, bits_for_sums_of_products));
    }
    EXPECT_LE(most, 2047);
    EXPECT_GE(least, -2048);
    EXPECT_GT(most - least, 4000);
}

}  // namespace
}  // namespace tocuda
