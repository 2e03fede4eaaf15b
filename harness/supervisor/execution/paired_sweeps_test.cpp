// tocuda, Apache-2.0.
// What two builds have in common.
#include <gtest/gtest.h>

#include "execution/bench_plan.hpp"

namespace tocuda {
namespace {

class PairedSweepsTest : public testing::Test {
protected:
    Sweep sweep(const Worker& worker, const std::string& name, std::vector<std::int64_t> sizes,
                Clock clock = Clock::device) const {
        Sweep made{&worker, {.name = name, .clock = clock}, {}};
        for (const auto bytes : sizes) made.sets.push_back({{"bytes", bytes}});
        return made;
    }

    Worker ours{"tocuda-cuda", "/ours"};
    Worker theirs{"tocuda-cuda", "/theirs"};
};

TEST_F(PairedSweepsTest, CommonSetsAreMeasuredByEachBuildsWorker) {
    const auto both =
        paired_sweeps({{sweep(ours, "copy/x", {4, 8, 16})}, {}}, {{sweep(theirs, "copy/x", {16, 4, 32})}, {}});
    ASSERT_EQ(both.ours.size(), 1U);
    EXPECT_EQ(both.ours[0].sets, (std::vector<Parameters>{{{"bytes", 4}}, {{"bytes", 16}}}));
    EXPECT_EQ(both.theirs[0].sets, both.ours[0].sets);
    EXPECT_EQ(both.ours[0].worker, &ours);
    EXPECT_EQ(both.theirs[0].worker, &theirs);
    EXPECT_TRUE(both.alone.empty());
}

TEST_F(PairedSweepsTest, NamesWhatOnlyOneBuildHas) {
    const auto both =
        paired_sweeps({{sweep(ours, "a", {4}), sweep(ours, "b", {4}), sweep(ours, "d", {4})}, {}},
                      {{sweep(theirs, "b", {8}), sweep(theirs, "c", {4}), sweep(theirs, "d", {4}, Clock::host)}, {}});
    EXPECT_TRUE(both.ours.empty());
    EXPECT_EQ(both.alone, (std::vector<std::string>{"a", "b", "d", "c"}));
}

TEST_F(PairedSweepsTest, UnitsOfBothBuildsAlternate) {
    const auto both = paired_sweeps({{sweep(ours, "a", {4}), sweep(ours, "b", {4})}, {}},
                                    {{sweep(theirs, "b", {4}), sweep(theirs, "a", {4})}, {}});
    const auto units = paired_units(
        {{.sweep = &both.ours[0], .gpus = {1}}, {.sweep = &both.ours[1], .gpus = {1}, .skipped = "why"}}, both);
    ASSERT_EQ(units.size(), 4U);
    for (std::size_t unit = 0; unit < 4; ++unit) {
        EXPECT_EQ(units[unit].sweep->worker, unit % 2 == 0 ? &ours : &theirs) << unit;
        EXPECT_EQ(units[unit].sweep->benchmark.name, unit < 2 ? "a" : "b") << unit;
        EXPECT_EQ(units[unit].skipped, unit < 2 ? "" : "why") << unit;
    }
}

}  // namespace
}  // namespace tocuda
