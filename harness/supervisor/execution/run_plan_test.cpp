// tocuda, Apache-2.0.
// Tests where variants run, what patterns match, and how text is wrapped.
#include "execution/run_plan.hpp"

#include <gtest/gtest.h>

#include "terminal/paper.hpp"

namespace tocuda {
namespace {

Scenario scenario(Needs needs, std::vector<std::string> fakes = {}) {
    return {"dtype/move",
            "",
            {{"000-04", ""}},
            needs,
            {{.name = "default", .fakes = std::move(fakes), .expected = {{"000-04", Verdict::refuted}}}}};
}

Step planned(const Scenario& scenario, const Available& available) {
    static const Worker worker{"tocuda-torch", "/x"};
    return plan({{&worker, &scenario}}, available).at(0);
}

const Available nothing{.found = "no driver"};
const Available one_gpu{Device::real, 1, 100, "1 GPU"};

TEST(Plan, RunsAnywhereIfNoGpuIsNeeded) {
    const auto s = scenario({});
    EXPECT_EQ(planned(s, nothing).skipped, "");
    EXPECT_EQ(planned(s, one_gpu).device, Device::none);
}

TEST(Plan, SkipNamesWhatIsNeededAndFound) {
    const auto s = scenario({.gpus = 2});
    EXPECT_EQ(planned(s, nothing).skipped, "needs 2 GPUs; found no driver");
    EXPECT_EQ(planned(s, one_gpu).skipped, "needs 2 GPUs; found 1 GPU");
}

TEST(Plan, UsesRealGpuIfPresent) {
    const auto s = scenario({.gpus = 1});
    EXPECT_EQ(planned(s, one_gpu).device, Device::real);
}

TEST(Plan, FakeDriverCountsAsSimulatedEvenWithRealGpu) {
    const auto s = scenario({}, {"driver 11020"});
    EXPECT_EQ(planned(s, one_gpu).device, Device::simulated);
    const auto absent = scenario({}, {"driver absent"});
    EXPECT_EQ(planned(absent, one_gpu).device, Device::none);
}

TEST(Plan, RecorderIsNotFakeDriver) {
    const auto s = scenario({.gpus = 1}, {"recorder"});
    EXPECT_EQ(planned(s, one_gpu).device, Device::real);
    const auto step = planned(s, {Device::simulated, 2, 8, "2 simulated GPUs", "2x8GiB"});
    EXPECT_EQ(step.device, Device::simulated);
    EXPECT_EQ(step.simulation, "2x8GiB");
}

TEST(Plan, VariantWithOwnSimulatedGpusNeedsNoOthers) {
    auto s = scenario({.gpus = 4});
    s.variants[0].simulate = "4x1GiB";
    const auto step = planned(s, {Device::simulated, 2, 8, "2 simulated GPUs", "2x8GiB"});
    EXPECT_EQ(step.skipped, "");
    EXPECT_EQ(step.simulation, "4x1GiB");
}

TEST(Plan, VariantWithFaultsIsSimulatedEvenWithRealGpu) {
    auto s = scenario({.gpus = 2});
    s.variants[0].simulate = "2x1GiB";
    s.variants[0].faults = {"cudaMalloc 2 46"};
    const auto step = planned(s, one_gpu);
    EXPECT_EQ(step.skipped, "");
    EXPECT_EQ(step.device, Device::simulated);
    EXPECT_EQ(step.simulation, "2x1GiB");
    EXPECT_NE(planned(s, nothing).skipped, "");
}

const Available as_real{Device::simulated, 2, 8, "2 simulated GPUs", "2xmine.json", "", true};

TEST(Plan, PlannedAsRealRunsVariantsOnTheGpusOfThePlace) {
    auto s = scenario({.gpus = 1});
    s.variants[0].simulate = "1xT4";
    EXPECT_TRUE(on_gpus_of_its_own(planned(s, {Device::simulated, 2, 8, "2 simulated GPUs", "2x8GiB"})));
    const auto step = planned(s, as_real);
    EXPECT_EQ(step.device, Device::simulated);
    EXPECT_EQ(step.simulation, "2xmine.json");
    EXPECT_FALSE(on_gpus_of_its_own(step));
}

TEST(Plan, PlannedAsRealSkipsWhatARealMachineLacks) {
    auto s = scenario({.gpus = 4});
    s.variants[0].simulate = "4x1GiB";
    EXPECT_EQ(planned(s, as_real).skipped, "needs 4 GPUs; found 2 simulated GPUs");
    s = scenario({.gpus = 1, .free_gib = 38});
    s.variants[0].simulate = "1x48GiB";
    EXPECT_EQ(planned(s, as_real).skipped, "needs 38 GiB of GPU memory; the first GPU is one of 8 GiB");
}

TEST(Plan, PlannedAsRealStillSimulatesFaults) {
    auto s = scenario({.gpus = 4});
    s.variants[0].simulate = "4x1GiB";
    s.variants[0].faults = {"cudaMalloc 2 46"};
    EXPECT_EQ(planned(s, as_real).simulation, "4x1GiB");
    EXPECT_EQ(planned(s, as_real).skipped, "");
}

TEST(Plan, WhatComparesSpeedsIsSkippedOnSimulatedGpusOnly) {
    const auto s = scenario({.gpus = 1, .arithmetic = true});
    EXPECT_NE(planned(s, {Device::simulated, 2, 8, "2 simulated GPUs"}).skipped, "");
    EXPECT_EQ(planned(s, one_gpu).skipped, "");
}

TEST(Plan, SkipNamesMissingMemory) {
    const auto s = scenario({.gpus = 1, .free_gib = 200});
    EXPECT_EQ(planned(s, one_gpu).skipped, "needs 200 GiB of GPU memory; the GPU is one of 100 GiB");
}

TEST(Plan, SkipNamesComputeCapability) {
    const Available hopper{Device::real, 2, 80, "2 GPUs", "", "9.0"};
    EXPECT_EQ(planned(scenario({.gpus = 1, .compute_capability = "10.0"}), hopper).skipped,
              "needs compute capability 10.0; the first GPU is one of 9.0");
    EXPECT_EQ(planned(scenario({.gpus = 1, .compute_capability = "below 8.0"}), hopper).skipped,
              "needs compute capability below 8.0; the first GPU is one of 9.0");
    for (const Needs& needs :
         {Needs{.gpus = 1, .compute_capability = "9.0"}, Needs{.gpus = 1, .compute_capability = "below 10.0"}})
        EXPECT_EQ(planned(scenario(needs), hopper).skipped, "");
}

TEST(Plan, AnOlderGpuThatAVariantSimulatesIsNoNewerRealOne) {
    auto s = scenario({.gpus = 1, .compute_capability = "below 8.0"});
    s.variants[0].simulate = "1xT4";
    EXPECT_NE(planned(s, {Device::real, 1, 80, "1 GPU", "", "9.0"}).skipped, "");
    EXPECT_EQ(planned(s, {Device::real, 1, 16, "1 GPU", "", "7.5"}).device, Device::real);
    EXPECT_EQ(planned(s, {Device::simulated, 2, 8, "2 simulated GPUs", "2x8GiB", "9.0"}).simulation, "1xT4");
}

TEST(Plan, OnlyWhatNeedsOneGpuAndHasNoListOfItsOwnSeesOne) {
    const Available eight{Device::real, 8, 100, "8 GPUs"};
    auto s = scenario({.gpus = 1});
    EXPECT_TRUE(sees_one_gpu(planned(s, eight)));
    EXPECT_TRUE(sees_one_gpu(planned(s, as_real)));
    EXPECT_FALSE(sees_one_gpu(planned(s, {Device::simulated, 2, 8, "2 simulated GPUs", "2x8GiB"})));
    EXPECT_FALSE(sees_one_gpu(planned(scenario({}), eight)));
    EXPECT_FALSE(sees_one_gpu(planned(scenario({.gpus = 2}), eight)));
    s.variants[0].environment = {{"CUDA_VISIBLE_DEVICES", std::nullopt}};
    EXPECT_FALSE(sees_one_gpu(planned(s, eight))) << "it is about all of them";
}

TEST(Selection, MatchesNamesFamiliesAndGlobs) {
    const auto s = scenario({});
    for (const auto* pattern : {"dtype/move", "dtype/", "dtype", "dtype/m*", "*/move", "move"})
        EXPECT_TRUE(names(pattern, s)) << pattern;
    for (const auto* pattern : {"mov", "dtyp", "environment/"}) EXPECT_FALSE(names(pattern, s)) << pattern;
}

// Three variants, of which only the second carries 000-05.
Catalogue with_two_claims() {
    auto s = scenario({});
    s.claims.push_back({"000-05", ""});
    s.variants.push_back({.name = "second", .expected = {{"000-04", Verdict::refuted}, {"000-05", Verdict::refuted}}});
    s.variants.push_back({.name = "third", .expected = {{"000-04", Verdict::refuted}}});
    return {{{"tocuda-torch", "/x", "", {}, {s}}}, {}};
}

std::vector<std::string> variants_planned(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    std::vector<std::string> variants;
    for (const auto& step : plan(select(catalogue, patterns).value(), nothing)) variants.push_back(step.variant->name);
    return variants;
}

TEST(Selection, ClaimSelectsVariantsThatCarryIt) {
    const auto catalogue = with_two_claims();
    EXPECT_EQ(variants_planned(catalogue, {"000-05"}), std::vector<std::string>{"second"});
    EXPECT_EQ(variants_planned(catalogue, {"000-04"}).size(), 3U);
    EXPECT_EQ(variants_planned(catalogue, {"000-05", "dtype/"}).size(), 3U);
}

TEST(Selection, ClaimOfNoVariantMatchesNothing) { EXPECT_FALSE(select(with_two_claims(), {"000-06"})); }

TEST(Selection, UnknownPatternSuggestsNearestName) {
    const Catalogue catalogue{{{"tocuda-torch", "/x", "", {}, {scenario({})}}}, {}};
    const auto wrong = select(catalogue, {"dtype/mvoe"});
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().what.find("dtype/move"), std::string::npos);
}

TEST(Paper, WrapsAtEightyColumnsAndCutsLongerWords) {
    const auto text = wrap(std::string(100, 'x') + " " + std::string(70, 'y') + " " + std::string(20, 'z'), 10, 4);
    std::size_t column = 10;
    for (const char c : text) {
        column = c == '\n' ? 0 : column + 1;
        ASSERT_LE(column, 80U) << text;
    }
}

TEST(Paper, EscapeCodesTakeNoColumns) { EXPECT_EQ(columns_of("\x1b[32mrefuted\x1b[0m"), 7U); }

}  // namespace
}  // namespace tocuda
