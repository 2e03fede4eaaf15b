// tocuda, Apache-2.0.
// Tests what the kernels of the host compute, that each number counts, and that parts are worked on by a team.
#include "benchmarks/host/host_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "benchmarks/host/chain.hpp"
#include "measurement/threads.hpp"

namespace tocuda {
namespace {

constexpr auto all_kernels = {StreamKernel::read, StreamKernel::copy, StreamKernel::scale, StreamKernel::add,
                              StreamKernel::triad};

struct alignas(host_line) Line {
    double numbers[8];
};

// Each of them between two lines that nothing may touch.
struct Arrays {
    explicit Arrays(std::size_t count) : lines(count / 8 + 2), b(count / 8 + 1), c(count / 8 + 1), size(count) {
        for (auto& line : lines) std::fill_n(line.numbers, 8, -1.5);
        write_host_numbers({b.data()->numbers, size}, 5, false);
        write_host_numbers({c.data()->numbers, size}, 5, true);
    }
    std::span<double> a() { return {lines[1].numbers, size}; }
    double run(StreamKernel kernel, bool past_caches) {
        return run_host_kernel(kernel, past_caches, a(), b.data()->numbers, c.data()->numbers);
    }
    std::vector<Line> lines, b, c;
    std::size_t size;
};

TEST(HostKernels, ComputeEachNumberAndTouchNothingElse) {
    for (const auto kernel : all_kernels)
        for (const bool past_caches : {false, true})
            for (const std::size_t count : {0, 8, 16, 24, 4096}) {
                if (kernel == StreamKernel::read) continue;
                Arrays arrays(count);
                if (count > 0) {
                    EXPECT_EQ(first_wrong(kernel, arrays.a(), 5), 0U);
                }
                arrays.run(kernel, past_caches);
                EXPECT_EQ(first_wrong(kernel, arrays.a(), 5), std::nullopt) << count;
                EXPECT_EQ(arrays.lines.front().numbers[7], -1.5);
                EXPECT_EQ(arrays.lines.back().numbers[0], -1.5);
                if (count < 8) continue;
                arrays.a()[count - 3] += 1;
                EXPECT_EQ(first_wrong(kernel, arrays.a(), 5), count - 3);
            }
}

TEST(HostKernels, ReadAddsUpEachNumber) {
    for (const std::size_t count : {8, 24, 4096}) {
        Arrays arrays(count);
        EXPECT_EQ(arrays.run(StreamKernel::read, false), host_sum(5, count));
        arrays.b.data()[(count - 1) / 8].numbers[7] += 1;
        EXPECT_EQ(arrays.run(StreamKernel::read, false), host_sum(5, count) + 1);
        EXPECT_EQ(arrays.a()[0], -1.5);
    }
}

TEST(Team, RunsAJobOnceInEachMemberAndTimesIt) {
    for (const unsigned threads : {1U, 2U, 5U}) {
        Team team(std::vector<int>(threads, 0));
        EXPECT_EQ(team.size(), threads);
        for (int job = 0; job < 20; ++job) {
            std::vector<std::atomic<int>> done(threads);
            EXPECT_GE(team.seconds_of([&](unsigned member) { ++done.at(member); }), 0.0);
            for (const auto& each : done) EXPECT_EQ(each, 1);
        }
    }
}

TEST(Team, SaysIfAProcessorIsNotThere) { EXPECT_FALSE(Team({1 << 20}).all_bound()); }

TEST(Team, IsSpreadOverTheProcessors) {
    EXPECT_EQ(spread_over({0, 1, 4, 5}, 4), (std::vector{0, 1, 4, 5}));
    EXPECT_EQ(spread_over({0, 1, 4, 5}, 2), (std::vector{0, 4}));
    EXPECT_EQ(spread_over({3}, 1), (std::vector{3}));
    EXPECT_EQ(spread_over({0, 1}, 5), (std::vector{0, 1, 0, 1, 0}));
}

TEST(Chain, VisitsEachLineOnceAndReturns) {
    for (const std::size_t lines : {2, 3, 64, 4097}) {
        const auto memory = std::make_unique<ChainLine[]>(lines);
        link_chain({memory.get(), lines}, 7);
        const auto way = walk_chain(memory.get(), lines);
        EXPECT_EQ(way.end, memory.get());
        EXPECT_EQ(way.sum, sum_of_chain({memory.get(), lines}));
        EXPECT_NE(walk_chain(memory.get(), lines - 1).end, memory.get());
    }
}

TEST(Chain, AWrongLinkIsSeen) {
    const auto memory = std::make_unique<ChainLine[]>(64);
    link_chain({memory.get(), 64}, 7);
    std::swap(memory[5].next, memory[9].next);  // two cycles instead of one
    const auto way = walk_chain(memory.get(), 64);
    EXPECT_TRUE(way.end != memory.get() || way.sum != sum_of_chain({memory.get(), 64}));
}

TEST(Chain, AnotherSeedIsAnotherOrder) {
    const auto memory = std::make_unique<ChainLine[]>(64);
    link_chain({memory.get(), 64}, 7);
    const auto* const first = walk_chain(memory.get(), 32).end;
    link_chain({memory.get(), 64}, 8);
    EXPECT_NE(walk_chain(memory.get(), 32).end, first);
}

}  // namespace
}  // namespace tocuda
