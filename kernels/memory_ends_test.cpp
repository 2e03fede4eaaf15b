// tocuda, Apache-2.0.
// Runs the first and the last block of kernels over more than 4 Gi elements on the CPU, in reserved address space
// without memory.
#include <gtest/gtest.h>

#include "kernels/copied_test.hpp"
#include "kernels/cp_async_copy.hpp"
#include "kernels/memory_dot.hpp"
#include "kernels/memory_read.hpp"
#include "kernels/memory_scale.hpp"
#include "kernels/memory_triad.hpp"

namespace tocuda {
namespace {

constexpr std::size_t pairs = (std::size_t{1} << 32) + 5;  // of two doubles, 16 bytes
constexpr std::size_t all_doubles = 2 * pairs + 1;         // the last one has no partner
constexpr unsigned unlimited = 1U << 28;                   // multiprocessors: every tile has its own block

// Doubles in reserved address space; zero until they are set.
class Doubles {
public:
    explicit Doubles(std::size_t size) : memory(size * sizeof(double)) {}
    bool there() const { return memory.get() != nullptr; }
    double* get() const { return reinterpret_cast<double*>(memory.get()); }
    double& operator[](std::size_t place) const { return get()[place]; }

private:
    Reserved memory;
};

template <class Kernel, class... Arguments>
void run_ends(const Grid& grid, Kernel kernel, Arguments... arguments) {
    run_blocks_on_host(grid, {0, grid.blocks - 1}, ThreadOrder::ascending, kernel, arguments...);
}

TEST(CpAsyncCopy, EndsOfMoreThanFourGiElements) {
    constexpr std::size_t row = CpAsyncCopy::threads * sizeof(Vector16);
    constexpr auto bytes = (std::size_t{1} << 36) + 3 * row;
    const Grid grid{
        .blocks = blocks_for(bytes / row), .threads = CpAsyncCopy::threads, .shared_bytes = CpAsyncCopy::shared_bytes};
    EXPECT_EQ(wrong_ends(CpAsyncCopy{}, grid, bytes, row), "");
}

TEST(MemoryRead, EndsOfMoreThanFourGiElements) {
    using Read = ReadAll<8, Hint::plain>;
    constexpr auto bytes = pairs * sizeof(Vector16);
    const auto grid = Read::grid(bytes, unlimited);
    const Reserved source(bytes);
    ASSERT_NE(source.get(), nullptr) << "not enough address space";
    std::vector<std::uint32_t> sums(grid.blocks, 77);
    source.get()[0] = std::byte{3};
    source.get()[bytes - 4] = std::byte{5};
    run_ends(grid, Read{}, sums.data(), static_cast<const std::byte*>(source.get()), bytes);
    EXPECT_EQ(sums.front(), 3U);
    EXPECT_EQ(sums.back(), 5U);
}

TEST(MemoryScale, EndsOfMoreThanFourGiElements) {
    const Doubles b(all_doubles + 2);
    const Doubles c(all_doubles);
    ASSERT_TRUE(b.there() && c.there()) << "not enough address space";
    c[1] = 2;
    c[all_doubles - 2] = 5;
    c[all_doubles - 1] = 7;
    run_ends(Scale::grid(all_doubles), Scale{}, b.get(), static_cast<const double*>(c.get()), all_doubles);
    EXPECT_EQ(b[1], 6);
    EXPECT_EQ(b[all_doubles - 2], 15);
    EXPECT_EQ(b[all_doubles - 1], 21);
    EXPECT_EQ(b[all_doubles], 0);
}

TEST(MemoryTriad, EndsOfMoreThanFourGiElements) {
    const Doubles a(all_doubles + 2);
    const Doubles b(all_doubles);
    const Doubles c(all_doubles);
    ASSERT_TRUE(a.there() && b.there() && c.there()) << "not enough address space";
    b[1] = 1;
    c[1] = 2;
    c[all_doubles - 2] = 5;
    b[all_doubles - 1] = 4;
    run_ends(Triad<4>{}.grid(all_doubles), Triad<4>{}, a.get(), static_cast<const double*>(b.get()),
             static_cast<const double*>(c.get()), all_doubles);
    EXPECT_EQ(a[1], 7);
    EXPECT_EQ(a[all_doubles - 2], 15);
    EXPECT_EQ(a[all_doubles - 1], 4);
    EXPECT_EQ(a[all_doubles], 0);
}

TEST(MemoryDot, EndsOfMoreThanFourGiElements) {
    const auto grid = Dot::grid(all_doubles, unlimited);
    const Doubles a(all_doubles);
    const Doubles b(all_doubles);
    ASSERT_TRUE(a.there() && b.there()) << "not enough address space";
    const Doubles sums(grid.blocks);
    a[0] = b[0] = 3;
    a[all_doubles - 2] = b[all_doubles - 2] = 5;
    a[all_doubles - 1] = b[all_doubles - 1] = 2;
    run_ends(grid, Dot{}, sums.get(), static_cast<const double*>(a.get()), static_cast<const double*>(b.get()),
             all_doubles);
    EXPECT_EQ(sums[0], 9 + 4);  // the first block adds the element without a partner
    EXPECT_EQ(sums[grid.blocks - 1], 25);
}

}  // namespace
}  // namespace tocuda
