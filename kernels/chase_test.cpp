// tocuda, Apache-2.0.
// Tests the chase of pointers: its cycle, what it visits, and that its result shows what went wrong.
#include "kernels/chase.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "kernels/direct_runtime_test.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

TEST(RandomCycle, VisitsDifferentLinesOfTheWorkingSet) {
    for (const std::size_t bytes : {512UL, 4096UL, 100'000UL, 1UL << 20, 64UL << 30}) {
        const auto cycle = random_cycle(bytes, 7);
        const std::set<std::uint64_t> lines(cycle.begin(), cycle.end());
        EXPECT_EQ(cycle.size(), std::min<std::size_t>(bytes / line_bytes, chase_loads) - 1) << bytes;
        EXPECT_EQ(lines.size(), cycle.size()) << bytes;
        EXPECT_LT(*lines.rbegin(), bytes / line_bytes) << bytes;
        EXPECT_NE(chase_loads % cycle.size(), 0U) << bytes << ": it would end where it began";
    }
}

TEST(RandomCycle, FollowsSeedAndSpreadsOverAllPages) {
    EXPECT_EQ(random_cycle(1 << 20, 1), random_cycle(1 << 20, 1));
    EXPECT_NE(random_cycle(1 << 20, 1), random_cycle(1 << 20, 2));
    std::set<std::uint64_t> pages;
    for (const auto line : random_cycle(std::size_t{2} << 30, 1)) pages.insert(line * line_bytes >> 21);
    EXPECT_GT(pages.size(), 1000U) << "of 1024 pages of 2 MiB, eight lines of each on average";
}

struct Prepared {
    explicit Prepared(std::size_t working_set)
        : bytes(working_set), cycle(random_cycle(working_set, working_set)), memory(aligned_bytes(working_set)) {
        write_cycle(stream, memory.get(), cycle.data(), cycle.size());
    }
    Chase along(std::size_t warm_loads = 0) const {
        return {.memory = memory.get(), .working_set = bytes, .first = cycle.front(), .warm_loads = warm_loads};
    }
    Chased run(std::size_t warm_loads, ChaseBy by = ChaseBy::load) const {
        Chased result{};
        launch_chase(stream, along(warm_loads), &result, by);
        return result;
    }
    Chased expected() const { return Chased::expected(memory.get(), cycle); }

    std::size_t bytes;
    Stream stream{};
    std::vector<std::uint64_t> cycle;
    AlignedBytes memory;
};

// A timer that advances at every fifth reading.
struct ByTimer {
    unsigned long long step = 0;
    int read = 0;
    unsigned long long nanoseconds() { return 7 * step + step * static_cast<unsigned long long>(read++ / 5); }
};

TEST(TimerStep, IsTheSmallestThatWasSeen) {
    for (const unsigned long long step : {0ULL, 32ULL, 1000ULL}) {
        ByTimer block{step};
        std::uint64_t found = 99;
        kernels::chase::TimerStep{}(block, &found);
        EXPECT_EQ(found, step);
        EXPECT_EQ(block.read < 100, step != 0) << "it ends after some steps, or after many readings without one";
    }
}

TEST(Chase, EndsWhereTheHostComputes) {
    for (const std::size_t bytes : {512UL, 4096UL, 100'096UL, 4UL << 20})
        for (const bool warm : {false, true}) {
            const Prepared chase(bytes);
            for (const auto by : {ChaseBy::load, ChaseBy::bulk}) {
                const auto found = chase.run(warm ? chase.cycle.size() : 0, by);
                EXPECT_EQ(found.end, chase.expected().end) << bytes;
                EXPECT_EQ(found.sum, chase.expected().sum) << bytes;
            }
        }
}

TEST(Chase, ShorterCycleIsSeenInTheSum) {
    const Prepared chase(1 << 20);
    const auto line = [&](std::size_t i) { return chase.memory.get() + chase.cycle[i] * line_bytes; };
    *reinterpret_cast<std::byte**>(line(100)) = line(102);
    EXPECT_NE(chase.run(0).sum, chase.expected().sum);
}

TEST(Chase, OfTheHostEndsThereToo) {
    for (const std::size_t bytes : {512UL, 100'096UL, 4UL << 20}) {
        const Prepared chase(bytes);
        const auto found = chased_by_host(chase.along());
        EXPECT_EQ(found.end, chase.expected().end) << bytes;
        EXPECT_EQ(found.sum, chase.expected().sum) << bytes;
    }
}

TEST(Chase, OfTheHostStopsAtALineWithoutALink) {
    const Prepared chase(1 << 20);
    *reinterpret_cast<std::byte**>(chase.memory.get() + chase.cycle[100] * line_bytes) = nullptr;
    EXPECT_EQ(chased_by_host(chase.along()).end, 0U);
}

TEST(TimedChase, ThrowsIfATimedChaseWentElsewhere) {
    const Prepared chase(1 << 20);
    const Course course{.chase = {.memory = chase.memory.get(), .working_set = chase.bytes, .first = chase.cycle[0]},
                        .expected = chase.expected()};
    const TimedChase timer;
    EXPECT_NO_THROW(timer.seconds_of(course));
    const auto line = [&](std::size_t i) { return chase.memory.get() + chase.cycle[i] * line_bytes; };
    *reinterpret_cast<std::byte**>(line(100)) = line(102);
    EXPECT_THROW(timer.seconds_of(course), std::runtime_error);
    EXPECT_NE(timer.what_differs(course), "");
}

TEST(Chase, OnlyVisitedLinesAreWritten) {
    const Prepared chase(4 << 20);
    std::fill_n(chase.memory.get(), chase.bytes, std::byte{0xC3});
    write_cycle(chase.stream, chase.memory.get(), chase.cycle.data(), chase.cycle.size());
    const std::set<std::uint64_t> visited(chase.cycle.begin(), chase.cycle.end());
    std::size_t others = 0;
    for (std::size_t i = 0; i < chase.bytes; ++i)
        others += !visited.contains(i / line_bytes) && chase.memory[i] != std::byte{0xC3} ? 1 : 0;
    EXPECT_EQ(others, 0U);
}

}  // namespace
}  // namespace tocuda
