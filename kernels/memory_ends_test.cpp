// tocuda, Apache-2.0.
// Runs the first and the last block of kernels over more than 4 Gi elements on the CPU, in reserved address space
// without memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/direct_runtime_test.hpp"

namespace tocuda {
namespace {

constexpr std::size_t pairs = (std::size_t{1} << 32) + 5;  // of two doubles, 16 bytes
constexpr std::size_t all_doubles = 2 * pairs + 1;         // the last one has no partner

void run_ends(const std::string& name, std::size_t bytes, const std::vector<const Reserved*>& memory,
              const Parameters& more = {}) {
    auto set = first_set(kernel_named(name), bytes);
    for (const auto& [key, value] : more) set[key] = value;
    Arrays arrays;
    for (const auto* each : memory) arrays.push_back(each->get());
    run_ends(kernel_named(name), set, arrays);
}

std::size_t blocks_at_most(std::size_t bytes) { return bytes / 4096 + 1; }

TEST(MemoryEnds, OfRead) {
    constexpr auto bytes = pairs * 16;
    const Reserved source(bytes);
    const Reserved sums(blocks_at_most(bytes) * sizeof(std::uint32_t));
    source.get()[0] = std::byte{3};
    source.get()[bytes - 4] = std::byte{5};
    run_ends("memory/read", bytes, {&sums, &source});
    EXPECT_EQ(sums.as<std::uint32_t>()[0], 3U);
    EXPECT_EQ(sums.as<std::uint32_t>()[launches().last.blocks - 1], 5U);
}

TEST(MemoryEnds, OfScale) {
    const Reserved b((all_doubles + 2) * sizeof(double));
    const Reserved c(all_doubles * sizeof(double));
    c.as<double>()[1] = 2;
    c.as<double>()[all_doubles - 2] = 5;
    c.as<double>()[all_doubles - 1] = 7;
    run_ends("memory/scale", all_doubles * sizeof(double), {&b, &c});
    EXPECT_EQ(b.as<double>()[1], 6);
    EXPECT_EQ(b.as<double>()[all_doubles - 2], 15);
    EXPECT_EQ(b.as<double>()[all_doubles - 1], 21);
    EXPECT_EQ(b.as<double>()[all_doubles], 0);
}

TEST(MemoryEnds, OfTriad) {
    const Reserved a((all_doubles + 2) * sizeof(double));
    const Reserved b(all_doubles * sizeof(double));
    const Reserved c(all_doubles * sizeof(double));
    b.as<double>()[1] = 1;
    c.as<double>()[1] = 2;
    c.as<double>()[all_doubles - 2] = 5;
    b.as<double>()[all_doubles - 1] = 4;
    run_ends("memory/triad_vectors", all_doubles * sizeof(double), {&a, &b, &c});
    EXPECT_EQ(a.as<double>()[1], 7);
    EXPECT_EQ(a.as<double>()[all_doubles - 2], 15);
    EXPECT_EQ(a.as<double>()[all_doubles - 1], 4);
    EXPECT_EQ(a.as<double>()[all_doubles], 0);
}

TEST(MemoryEnds, OfSums) {
    for (const auto* name : {"memory/add", "memory/nstream"}) {
        const Reserved a((all_doubles + 2) * sizeof(double));
        const Reserved b(all_doubles * sizeof(double));
        const Reserved c(all_doubles * sizeof(double));
        const auto scalar = std::string(name) == "memory/add" ? 1 : 3;
        b.as<double>()[1] = 1;
        c.as<double>()[all_doubles - 2] = 5;
        b.as<double>()[all_doubles - 1] = 4;
        run_ends(name, all_doubles * sizeof(double), {&a, &b, &c});
        EXPECT_EQ(a.as<double>()[1], 1) << name;
        EXPECT_EQ(a.as<double>()[all_doubles - 2], 5 * scalar) << name;
        EXPECT_EQ(a.as<double>()[all_doubles - 1], 4) << name;
        EXPECT_EQ(a.as<double>()[all_doubles], 0) << name;
    }
}

TEST(MemoryEnds, OfDot) {
    const Reserved a(all_doubles * sizeof(double));
    const Reserved b(all_doubles * sizeof(double));
    const Reserved sums(blocks_at_most(all_doubles * sizeof(double)) * sizeof(double));
    a.as<double>()[0] = b.as<double>()[0] = 3;
    a.as<double>()[all_doubles - 2] = b.as<double>()[all_doubles - 2] = 5;
    a.as<double>()[all_doubles - 1] = b.as<double>()[all_doubles - 1] = 2;
    run_ends("memory/dot", all_doubles * sizeof(double), {&sums, &a, &b});
    EXPECT_EQ(sums.as<double>()[0], 9 + 4);  // the first block adds the element without a partner
    EXPECT_EQ(sums.as<double>()[launches().last.blocks - 1], 25);
}

TEST(MemoryEnds, OfWrite) {
    const auto vector_at = [](std::size_t place) {
        const auto word = static_cast<std::uint32_t>(place) * 2654435761U ^ static_cast<std::uint32_t>(place >> 32);
        return std::array{word, word ^ 0x9e3779b9U, ~word, word + 0x7f4a7c15U};
    };
    constexpr std::size_t tile = 256 * 4;  // vectors
    const auto vectors = (std::size_t{1} << 32) + 2 * tile;
    const Reserved target(vectors * 16 + 64);
    run_ends("memory/write", vectors * 16, {&target});
    for (const auto start : {std::size_t{0}, vectors - tile})
        for (auto i = start; i < start + tile; ++i)
            ASSERT_EQ((target.as<std::array<std::uint32_t, 4>>()[i]), vector_at(i)) << i;
    EXPECT_NE(vector_at(1), vector_at(2));
    EXPECT_NE(vector_at(1), vector_at(1 + (std::size_t{1} << 32)));
    EXPECT_EQ(target.get()[vectors * 16], std::byte{0});
}

TEST(MemoryEnds, OfStridedCopy) {
    const std::size_t count = (std::size_t{1} << 32) + 5;
    constexpr std::size_t stride = 3;
    const Reserved from(((count - 1) * stride + 1) * 4);
    const Reserved to((count + 16) * 4);
    from.as<std::uint32_t>()[0] = 7;
    from.as<std::uint32_t>()[(count - 1) * stride] = 11;
    run_ends("copy/device_to_device/strided", count * 4, {&to, &from}, {{"stride", stride}});
    EXPECT_EQ(to.as<std::uint32_t>()[0], 7U);
    EXPECT_EQ(to.as<std::uint32_t>()[count - 1], 11U);
    EXPECT_EQ(to.as<std::uint32_t>()[count], 0U);
}

TEST(MemoryEnds, OfTransposedCopy) {
    const std::size_t rows = (std::size_t{1} << 16) + 64;
    const std::size_t columns = std::size_t{1} << 16;
    const Reserved from(rows * columns * 4);
    const Reserved to((rows * columns + 16) * 4);
    from.as<std::uint32_t>()[1] = 7;
    from.as<std::uint32_t>()[rows * columns - 2] = 11;
    run_ends("copy/device_to_device/transposed", rows * columns * 4, {&to, &from});
    EXPECT_EQ(to.as<std::uint32_t>()[rows], 7U);
    EXPECT_EQ(to.as<std::uint32_t>()[rows * columns - 1 - rows], 11U);
    EXPECT_EQ(to.as<std::uint32_t>()[rows * columns], 0U);
}

// The first of two blocks copies the first half and nothing of the second.
TEST(PersistentCopy, ContiguousBlocksCopyOneRunEach) {
    constexpr std::size_t tile = std::size_t{256} * 8 * 16;
    const Parameters set{{"bytes", 8 * tile}, {"blocks_each", 1}, {"hint", "plain"}, {"order", "contiguous"}};
    const Reserved source(8 * tile);
    const Reserved target(8 * tile);
    std::fill_n(source.get(), 8 * tile, std::byte{1});
    auto gpu = small_gpu();
    gpu.multiprocessors = 4;
    launches() = {.ends_only = true};
    kernel_named("copy/device_to_device/persistent").operation({set, gpu})(Stream(), {target.get(), source.get()});
    launches() = {};
    const auto copied = [&](std::size_t first, std::size_t end) {
        return std::count(target.get() + first * tile, target.get() + end * tile, std::byte{1});
    };
    EXPECT_EQ(copied(0, 2), static_cast<std::ptrdiff_t>(2 * tile));
    EXPECT_EQ(copied(2, 6), 0);
    EXPECT_EQ(copied(6, 8), static_cast<std::ptrdiff_t>(2 * tile));
}

}  // namespace
}  // namespace tocuda
