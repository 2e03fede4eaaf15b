// tocuda, Apache-2.0.
// Tests which published numbers make a band, and what a row beside it is called.
#include "summary/published_band.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

PublishedNumber a_number(const std::string& by, double gigabytes, std::int64_t bytes = 256 * mebibyte) {
    return {.kind = "measured",
            .gpu = "NVIDIA H100 PCIe",
            .benchmark = "copy/x",
            .bytes = bytes,
            .per_second = gigabytes * 1e9,
            .by = by};
}

Published of_three_sources() {
    return {.quantities = {{.benchmark = "copy/x", .alike_from_bytes = 64 * mebibyte, .look_at = "the link"}},
            .numbers = {a_number("a", 54), a_number("b", 55), a_number("c", 57)}};
}

RunLine two_gpus() {
    RunLine line{.device = Device::real};
    line.gpus = {{.index = 0, .uuid = "GPU-a", .name = "NVIDIA H100 PCIe"},
                 {.index = 1, .uuid = "GPU-b", .name = "NVIDIA H100 PCIe"}};
    return line;
}

RowSummary a_row(double gigabytes, std::int64_t bytes = 256 * mebibyte) {
    return {.benchmark = "copy/x",
            .parameters = {{"bytes", bytes}},
            .id = "1",
            .device = Device::real,
            .gpu = "GPU-a",
            .bytes_per_second_one_way = gigabytes * 1e9};
}

HeldRow held_one(const Published& published, const RowSummary& one) {
    const auto held = held_against(published, two_gpus(), {one});
    EXPECT_EQ(held.size(), 1U);
    return held.empty() ? HeldRow{} : held.front();
}

TEST(PublishedBand, ThreeSourcesMakeABand) {
    EXPECT_EQ(held_one(of_three_sources(), a_row(55)).standing, PublishedStanding::within);
    EXPECT_EQ(held_one(of_three_sources(), a_row(58)).standing, PublishedStanding::above);
    EXPECT_EQ(held_one(of_three_sources(), a_row(53)).standing, PublishedStanding::below);
    const auto low = held_one(of_three_sources(), a_row(48));
    EXPECT_EQ(low.standing, PublishedStanding::low);
    EXPECT_EQ(low.look_at, "the link");
    EXPECT_EQ(low.sources, 3);
    EXPECT_EQ(low.band.size(), 3U);
}

TEST(PublishedBand, TwoSourcesAreOnlyShown) {
    auto published = of_three_sources();
    published.numbers.back().by = "b";  // a second number of one source
    const auto held = held_one(published, a_row(1));
    EXPECT_EQ(held.standing, PublishedStanding::shown);
    EXPECT_EQ(held.sources, 2);
    EXPECT_EQ(held.band.size(), 3U);
}

TEST(PublishedBand, OnlyMeasuredNumbersAreInTheBand) {
    for (const auto* kind : {"complaint", "limit", "best_case"}) {
        auto published = of_three_sources();
        published.numbers.back().kind = kind;
        const auto held = held_one(published, a_row(1));
        EXPECT_EQ(held.standing, PublishedStanding::shown) << kind;
        EXPECT_EQ(held.band.size(), 2U) << kind;
        EXPECT_EQ(held.others.size(), 1U) << kind;
    }
}

TEST(PublishedBand, OtherModelsParametersAndConventionsAreNotMixedIn) {
    const auto changed = [](const auto& change) {
        auto published = of_three_sources();
        change(published.numbers.back());
        return held_one(published, a_row(1)).band.size();
    };
    EXPECT_EQ(changed([](auto& one) { one.gpu = "NVIDIA H100 80GB HBM3"; }), 2U);
    EXPECT_EQ(changed([](auto& one) { one.gpu = ""; }), 2U);
    EXPECT_EQ(changed([](auto& one) { one.parameters = {{"by", "engine"}}; }), 2U);
    EXPECT_EQ(changed([](auto& one) { one.counts = RateOf::touched; }), 2U);
    EXPECT_EQ(changed([](auto& one) { one.benchmark = "copy/y"; }), 2U);
    EXPECT_EQ(changed([](auto& one) { one.gpu = "H100 PCIe"; }), 3U);  // as drivers of 2020 name it
}

TEST(PublishedBand, SizesAreAlikeFromALimitOnAndWithinAFactorOfFour) {
    auto published = of_three_sources();
    published.numbers.back().bytes = 16384 * mebibyte;
    EXPECT_EQ(held_one(published, a_row(55)).band.size(), 3U);
    EXPECT_TRUE(held_against(published, two_gpus(), {a_row(55, mebibyte)}).empty());
    published.numbers.back().bytes = 2 * mebibyte;
    EXPECT_EQ(held_one(published, a_row(55, mebibyte)).band.size(), 1U);
    published.numbers.back().bytes.reset();
    EXPECT_EQ(held_one(published, a_row(55)).others.size(), 1U);  // unknown: shown
    EXPECT_TRUE(held_against(published, two_gpus(), {a_row(55, mebibyte)}).empty());
}

TEST(PublishedBand, RowsOfAnotherToolThatMeasuresTheSameAreHeldAgainstIt) {
    auto published = of_three_sources();
    for (auto& one : published.numbers) one.parameters = {{"by", "engine"}};
    published.quantities.front().also = {{"tool/x", {{"place", "out"}}, {{"bytes", 512 * mebibyte}, {"by", "engine"}}}};
    auto row = a_row(55);
    row.benchmark = "tool/x";
    row.parameters = {{"place", "out"}};
    EXPECT_EQ(held_one(published, row).standing, PublishedStanding::within);
    EXPECT_EQ(held_one(published, row).benchmark, "tool/x");
    row.parameters = {{"place", "in"}};
    EXPECT_TRUE(held_against(published, two_gpus(), {row}).empty());
}

TEST(PublishedBand, SimulatedAndFailedRowsAreNotHeldAgainstIt) {
    auto simulated = a_row(55);
    simulated.device = Device::simulated;
    auto failed = a_row(55);
    failed.status = Status::wrong;
    EXPECT_TRUE(held_against(of_three_sources(), two_gpus(), {simulated, failed}).empty());
}

TEST(PublishedBand, OfSeveralGpusTheSlowestCounts) {
    auto other = a_row(50);
    other.gpu = "GPU-b";
    const auto held = held_against(of_three_sources(), two_gpus(), {a_row(55), other});
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held.front().gpu, "GPU-b");
}

TEST(PublishedBand, WhereAllGpusTakePartTheirNumberMatters) {
    auto published = of_three_sources();
    published.quantities.front().all_gpus = true;
    EXPECT_TRUE(held_against(published, two_gpus(), {a_row(55)}).empty());
    for (auto& one : published.numbers) one.gpus = 2;
    EXPECT_EQ(held_one(published, a_row(55)).standing, PublishedStanding::within);
    auto of_three_ranks = a_row(55);
    of_three_ranks.parameters["ranks"] = 3;
    EXPECT_TRUE(held_against(published, two_gpus(), {of_three_ranks}).empty());
}

}  // namespace
}  // namespace tocuda
