// tocuda, Apache-2.0.
// Tests chains of steps in shared memory and through lines: where they go, and what they leave behind.
#include "kernels/step_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/direct_runtime_test.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {
namespace {

TEST(SharedLinks, LeadThroughEveryWordAndBack) {
    const auto links = shared_links();
    std::set<std::uint32_t> seen;
    std::uint32_t at = 0;
    for (unsigned i = 0; i < shared_places; ++i) {
        at = links[at / 4];
        EXPECT_EQ(at % 4, 0U);
        seen.insert(at);
    }
    EXPECT_EQ(at, 0U);
    EXPECT_EQ(seen.size(), shared_places);
}

TEST(SharedChain, VisitsEachWordOnceAndLeavesWhatTheStepSays) {
    const auto links = shared_links();
    std::uint64_t sum = 0;
    for (const auto link : links) sum += link;
    for (const auto step : {ChainStep::load, ChainStep::add, ChainStep::exchange}) {
        Chased found{.end = 1};
        std::vector<std::uint32_t> left(shared_places);
        launch_shared_chain(Stream(), step, links.data(), shared_places, &found, left.data());
        EXPECT_EQ(found.end, 0U);
        EXPECT_EQ(found.sum, sum);
        for (std::uint32_t i = 0; i < shared_places; ++i) ASSERT_EQ(left[i], left_by(step, 4 * i, links[i])) << i;
    }
}

TEST(SharedChain, OfFewerStepsLeavesTheOtherWordsAlone) {
    const auto links = shared_links();
    Chased found{};
    std::vector<std::uint32_t> left(shared_places);
    launch_shared_chain(Stream(), ChainStep::add, links.data(), 1, &found, left.data());
    EXPECT_EQ(found.end, links[0]);
    EXPECT_EQ(left[0], links[0] + 1);
    EXPECT_TRUE(std::equal(left.begin() + 1, left.end(), links.begin() + 1));
}

TEST(LineChain, VisitsEachLineOnceAndLeavesWhatTheStepSays) {
    constexpr std::size_t working_set = 64 * line_bytes;
    const auto cycle = random_cycle(working_set, 3);
    const auto memory = aligned_bytes(working_set);
    const auto number = [&](std::uint64_t line) -> std::uint64_t& {
        return *reinterpret_cast<std::uint64_t*>(memory.get() + line * line_bytes);
    };
    const auto address = [&](std::uint64_t line) { return reinterpret_cast<std::uintptr_t>(&number(line)); };
    for (const auto step : {ChainStep::add, ChainStep::exchange}) {
        write_cycle(Stream(), memory.get(), cycle.data(), cycle.size());
        Chased found{};
        launch_line_chain(
            Stream(), step,
            {.memory = memory.get(), .working_set = working_set, .first = cycle.front(), .loads = cycle.size()},
            &found);
        EXPECT_EQ(found.end, address(cycle.front()));
        for (std::size_t i = 0; i < cycle.size(); ++i)
            EXPECT_EQ(number(cycle[i]), left_by(step, address(cycle[i]), address(cycle[(i + 1) % cycle.size()])));
    }
}

}  // namespace
}  // namespace tocuda
