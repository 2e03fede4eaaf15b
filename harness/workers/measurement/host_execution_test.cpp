// tocuda, Apache-2.0.
// Tests that a kernel computes the same on the CPU as on a GPU, and that errors that would be undefined there are
// found.
#include "measurement/host_execution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "measurement/block.hpp"

namespace tocuda {
namespace {

struct Waits {
    template <class Block>
    static constexpr void here(Block& block) {
        block.barrier();
    }
};
struct WaitsNot {
    template <class Block>
    static constexpr void here(Block&) {}
};

// Reverses each block's part of the values through shared memory.
template <class Barrier>
struct Reversal {
    static constexpr bool has_barrier = true;
    template <class Block>
    constexpr void operator()(Block& block, float* values) const {
        auto* tile = shared<float>(block, block.threads);
        const auto own = block.block * block.threads + block.thread;
        tile[block.thread] = values[own];
        Barrier::here(block);
        values[own] = tile[block.threads - 1 - block.thread];
    }
};

template <class Barrier>
bool reverses(ThreadOrder order) {
    std::vector<float> values(3 * 256);
    std::iota(values.begin(), values.end(), 1.0F);
    auto expected = values;
    for (auto part = expected.begin(); part != expected.end(); part += 256) std::reverse(part, part + 256);
    run_on_host({.blocks = 3, .threads = 256, .shared_bytes = 256 * sizeof(float)}, order, Reversal<Barrier>{},
                values.data());
    return values == expected;
}

// A tree sum, with a barrier in a loop that can be left out.
template <class Barrier>
struct Sum {
    static constexpr bool has_barrier = true;
    template <class Block>
    constexpr void operator()(Block& block, const float* values, float* sum) const {
        auto* partial = shared<float>(block, block.threads);
        partial[block.thread] = values[block.thread];
        for (auto half = block.threads / 2; half > 0; half /= 2) {
            Barrier::here(block);
            if (block.thread < half) partial[block.thread] += partial[block.thread + half];
        }
        if (block.thread == 0) *sum = partial[0];
    }
};

template <class Barrier>
float sum(ThreadOrder order) {
    std::vector<float> values(128);
    std::iota(values.begin(), values.end(), 1.0F);
    float result = 0;
    run_on_host({.threads = 128, .shared_bytes = 128 * sizeof(float)}, order, Sum<Barrier>{},
                static_cast<const float*>(values.data()), &result);
    return result;
}

class EveryOrder : public testing::TestWithParam<ThreadOrder> {};
INSTANTIATE_TEST_SUITE_P(HostExecution, EveryOrder, testing::ValuesIn(thread_orders),
                         [](const auto& each) { return word(each.param); });

TEST_P(EveryOrder, ReversesWithBarriers) { EXPECT_TRUE(reverses<Waits>(GetParam())); }
TEST_P(EveryOrder, SumsTreeWithBarriers) { EXPECT_EQ(sum<Waits>(GetParam()), 128 * 129 / 2); }
TEST_P(EveryOrder, DetectsMissingBarrierInReversal) { EXPECT_FALSE(reverses<WaitsNot>(GetParam())); }

TEST(HostExecution, DetectsMissingBarrierInTreeSumInTwoOrders) {
    EXPECT_NE(sum<WaitsNot>(ThreadOrder::ascending), 128 * 129 / 2);
    EXPECT_NE(sum<WaitsNot>(ThreadOrder::seeded), 128 * 129 / 2);
}

TEST_P(EveryOrder, RunsEachThreadOfEachBlockOnce) {
    std::vector<int> runs(5 * 7);
    run_straight({.blocks = 5, .threads = 7}, GetParam(), [&](HostBlock& block) {
        ++runs[block.block * block.threads + block.thread];
        EXPECT_EQ(block.blocks, 5U);
    });
    EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), 35);
}

TEST(HostExecution, OrdersArePermutations) {
    EXPECT_EQ(in_order(ThreadOrder::ascending, 4), (std::vector<unsigned>{0, 1, 2, 3}));
    EXPECT_EQ(in_order(ThreadOrder::descending, 4), (std::vector<unsigned>{3, 2, 1, 0}));
    auto seeded = in_order(ThreadOrder::seeded, 256);
    EXPECT_NE(seeded, in_order(ThreadOrder::ascending, 256));
    EXPECT_EQ(seeded, in_order(ThreadOrder::seeded, 256));
    std::sort(seeded.begin(), seeded.end());
    EXPECT_EQ(seeded, in_order(ThreadOrder::ascending, 256));
}

TEST_P(EveryOrder, FillsSharedMemoryWithPatternBeforeEachBlock) {
    int dirty = 0;
    run_straight({.blocks = 3, .threads = 1, .shared_bytes = 40}, GetParam(), [&](HostBlock& block) {
        auto* bytes = shared<std::byte>(block, 40);
        dirty +=
            static_cast<int>(std::count_if(bytes, bytes + 40, [](auto byte) { return byte != unwritten(GetParam()); }));
        std::fill_n(bytes, 40, std::byte{1});
    });
    EXPECT_EQ(dirty, 0);
}

TEST(HostExecution, SharedArraysAreSharedByBlockAndSeparate) {
    run_straight({.threads = 2, .shared_bytes = 3 + 1 + 16}, ThreadOrder::ascending, [&](HostBlock& block) {
        auto* small = shared<char>(block, 3);
        auto* large = shared<double>(block, 1);
        if (block.thread == 0) small[0] = 'a', *large = 2.5;
        EXPECT_EQ(small[0], 'a');
        EXPECT_EQ(*large, 2.5);
    });
}

std::string fault_of(const Grid& grid, const ThreadBody& body) {
    try {
        run_waiting(grid, ThreadOrder::ascending, body);
    } catch (const KernelFault& fault) {
        return fault.what();
    }
    return "none";
}

TEST(HostExecution, BarrierNotReachedByEveryThreadIsFault) {
    EXPECT_EQ(fault_of({.threads = 4},
                       [](HostBlock& block) {
                           if (block.thread != 2) block.barrier();
                       }),
              "1 of 4 threads ended while the others waited at a barrier");
}

TEST(HostExecution, ExceedingRequestedSharedMemoryIsFault) {
    EXPECT_EQ(fault_of({.threads = 4, .shared_bytes = 12},
                       [](HostBlock& block) { shared<float>(block, block.threads)[0] = 1; }),
              "16 bytes of shared memory are used, but only 12 were requested");
}

TEST(HostExecution, DisagreeingOnSharedArraySizeIsFault) {
    EXPECT_EQ(
        fault_of({.threads = 2, .shared_bytes = 64}, [](HostBlock& block) { shared<char>(block, block.thread + 1); }),
        "the threads of a block disagree on the size of a shared array");
}

TEST(HostExecution, BarrierInKernelDeclaredWithoutOneIsFault) {
    EXPECT_THROW(run_straight({.threads = 2}, ThreadOrder::ascending, [](HostBlock& block) { block.barrier(); }),
                 KernelFault);
}

TEST(HostExecution, LaunchThatNoGpuSupportsIsFault) {
    EXPECT_EQ(fault_of({.threads = 1025}, [](HostBlock&) {}), "no GPU can launch 1 blocks of 1025 threads");
    EXPECT_EQ(fault_of({.blocks = 0}, [](HostBlock&) {}), "no GPU can launch 0 blocks of 1 threads");
}

TEST(HostExecution, RethrowsExceptionsThrownAfterBarrier) {
    EXPECT_THROW(run_waiting({.threads = 3}, ThreadOrder::descending,
                             [](HostBlock& block) {
                                 block.barrier();
                                 if (block.thread == 1) throw std::out_of_range("mine");
                             }),
                 std::out_of_range);
}

}  // namespace
}  // namespace tocuda
