// tocuda, Apache-2.0.
// Runs the check's kernels on the CPU, with a GPU's grid and with the CPU's, and tests that they find the first
// difference anywhere and compare every byte.
#include "measurement/check_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "measurement/host_execution.hpp"

namespace tocuda {
namespace {

constexpr unsigned long long nowhere = ~0ULL;
constexpr Grid grids[]{{}, {.blocks = 3, .threads = 32}};

// Ends with its allocation, so that the address sanitizer finds accesses past the end; starts `past` bytes after a
// multiple of 16.
struct Bytes {
    Bytes(std::size_t past, std::size_t count) : memory(new std::byte[past + count]), all(memory.get() + past, count) {}
    std::unique_ptr<std::byte[]> memory;
    std::span<std::byte> all;
};

template <class Kernel, class... Arguments>
Findings found_by(Kernel kernel, const Grid& grid, ThreadOrder order, Arguments... arguments) {
    Findings findings{.lowest = nowhere, .compared = 0};
    run_on_host(grid, order, kernel, arguments..., &findings);
    return findings;
}

class EveryPlace : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(CheckKernels, EveryPlace, testing::Values(0, 1, 3, 7, 8, 9, 1000003),
                         [](const auto& each) { return "place_" + std::to_string(each.param); });

TEST_P(EveryPlace, WritesSamePayloadAsHost) {
    for (const auto& grid : grids)
        for (const std::size_t past : {0, 1, 5, 8})
            for (const std::size_t count : {0, 1, 7, 8, 15, 16, 17, 333}) {
                const Bytes written(past, count);
                run_on_host(grid, ThreadOrder::descending, WritePayload{}, written.all.data(), count, GetParam());
                std::vector<std::byte> expected(count);
                write_payload(expected, GetParam());
                EXPECT_TRUE(std::equal(expected.begin(), expected.end(), written.all.begin()))
                    << count << " bytes, " << past << " past";
            }
}

TEST_P(EveryPlace, FindsFirstByteUnlikePayload) {
    for (const auto& grid : grids)
        for (const std::size_t past : {0, 3, 8})
            for (const std::size_t wrong : {0, 1, 7, 8, 9, 200, 331, 332}) {
                const Bytes bytes(past, 333);
                write_payload(bytes.all, GetParam());
                const std::span<const std::byte> all = bytes.all;
                const auto whole =
                    found_by(FirstUnlikePayload{}, grid, ThreadOrder::ascending, all.data(), all.size(), GetParam());
                EXPECT_EQ(whole.lowest, nowhere);
                EXPECT_EQ(whole.compared, 333U);
                bytes.all[wrong] ^= std::byte{1};
                bytes.all[332] ^= std::byte{2};
                for (const auto order : thread_orders)
                    EXPECT_EQ(found_by(FirstUnlikePayload{}, grid, order, all.data(), all.size(), GetParam()).lowest,
                              wrong);
                EXPECT_EQ(first_unlike_payload(all, GetParam()), wrong);
            }
}

TEST(CheckKernels, FindsFirstByteUnlikeValue) {
    for (const auto& grid : grids) {
        std::vector<std::byte> bytes(100, std::byte{7});
        const std::byte* const first = bytes.data();
        const auto whole = found_by(FirstUnlike{}, grid, ThreadOrder::ascending, first, bytes.size(), std::byte{7});
        EXPECT_EQ(whole.lowest, nowhere);
        EXPECT_EQ(whole.compared, 100U);
        bytes[41] = bytes[99] = std::byte{8};
        EXPECT_EQ(found_by(FirstUnlike{}, grid, ThreadOrder::descending, first, bytes.size(), std::byte{7}).lowest,
                  41U);
    }
}

TEST(CheckKernels, FindsFirstDifferenceOfTwoArrays) {
    for (const auto& grid : grids)
        for (const std::size_t past : {0, 1}) {
            const Bytes left(past, 100);
            const Bytes right(0, 100);
            write_payload(left.all, 0);
            write_payload(right.all, 0);
            const std::byte* const one = left.all.data();
            const std::byte* const other = right.all.data();
            const auto whole = found_by(FirstDifference{}, grid, ThreadOrder::ascending, one, other, std::size_t{100});
            EXPECT_EQ(whole.lowest, nowhere);
            EXPECT_EQ(whole.compared, 100U);
            for (const std::size_t wrong : {99, 97, 55, 0}) {
                right.all[wrong] ^= std::byte{1};
                EXPECT_EQ(found_by(FirstDifference{}, grid, ThreadOrder::seeded, one, other, std::size_t{100}).lowest,
                          wrong);
            }
        }
}

}  // namespace
}  // namespace tocuda
