// tocuda, Apache-2.0.
// What a benchmark has from its family, and what a tuning benchmark has from what is tuned.
#include "measurement/registered_benchmark.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tocuda {
namespace {

const RegisteredFamily made_up{{.folder = "made_up/near",
                                .group = {.order = 3},
                                .role = {.pictures = {"near"}, .heading = "near by", .touched = true}}};
const RegisteredFamily wider{{.folder = "made_up", .group = {"all made up", 4}, .role = {.over_link = true}}};
const RegisteredBenchmark near_by{{.benchmark = {.name = "made_up/near/plain"}, .set_up = {}}};
const RegisteredBenchmark own{
    {.benchmark = {.name = "made_up/near/own", .group = {"mine", 7}, .role = {.heading = "my own", .collective = true}},
     .set_up = {}}};
const RegisteredBenchmark apart{
    {.benchmark = {.name = "made_up/near/apart", .group = {"made_up"}, .role = {.alone = true}}, .set_up = {}}};
const RegisteredBenchmark far{{.benchmark = {.name = "made_up/far"}, .set_up = {}}};
const RegisteredBenchmark of_nobody{{.benchmark = {.name = "made_up_by/nobody/else"}, .set_up = {}}};
const RegisteredBenchmark folderless{{.benchmark = {.name = "alone"}, .set_up = {}}};
const Cost cost{.bytes = Handling::on_gpu, .programs = 3};
const RegisteredBenchmark tuned{
    tuning({.benchmark = {.name = "made_up/near/wide", .cost = cost, .role = {.campaign = "first"}}, .set_up = {}},
           "choose/near_by_width", {})};
const RegisteredBenchmark tuned_own{
    tuning({.benchmark = {.name = "made_up/near/own", .group = {"mine", 7}}, .set_up = {}}, "choose/own", {})};

Benchmark named(const std::string& name) {
    const auto all = registered_benchmarks();
    return std::ranges::find_if(all, [&](const Measurable& one) { return one.benchmark.name == name; })->benchmark;
}

TEST(Family, IsTheLongestFolder) {
    EXPECT_EQ(named("made_up/near/plain").group, (Group{"made_up/near", 3}));
    EXPECT_EQ(named("made_up/near/plain").role, (Role{.pictures = {"near"}, .heading = "near by", .touched = true}));
    EXPECT_EQ(named("made_up/far").group, (Group{"all made up", 4}));
    EXPECT_EQ(named("made_up/far").role, (Role{.over_link = true}));
}

TEST(Family, GivesWhatTheBenchmarkDoesNotSayItself) {
    EXPECT_EQ(named("made_up/near/own").group, (Group{"mine", 7}));
    EXPECT_EQ(named("made_up/near/own").role,
              (Role{.pictures = {"near"}, .heading = "my own", .collective = true, .touched = true}));
}

TEST(Family, GivesNothingButTheGroupToABenchmarkThatIsAlone) {
    EXPECT_EQ(named("made_up/near/apart").group, (Group{"all made up", 4})) << "the one that it names";
    EXPECT_EQ(named("made_up/near/apart").role, (Role{.alone = true}));
}

TEST(Family, IsTheFirstFolderAfterAllOthersIfNoneIsRegistered) {
    EXPECT_EQ(named("made_up_by/nobody/else").group, (Group{"made_up_by"})) << "only whole parts of the name count";
    EXPECT_EQ(named("alone").group, (Group{"alone"}));
    EXPECT_EQ(named("alone").role, Role{});
}

TEST(Tuning, HasTheGroupAndTheCostOfWhatIsTuned) {
    EXPECT_EQ(named("choose/near_by_width").group, (Group{"made_up/near", 3}));
    EXPECT_EQ(named("choose/near_by_width").cost, cost);
    EXPECT_EQ(named("choose/own").group, (Group{"mine", 7}));
}

TEST(Tuning, SaysWhatItChooses) {
    const auto role = named("choose/near_by_width").role;
    EXPECT_EQ(role.chooses, "near wide");
    EXPECT_TRUE(role.tunes);
    EXPECT_TRUE(role.sheet.empty() && role.pictures.empty() && role.campaign == "tune") << "none of what is tuned";
}

}  // namespace
}  // namespace tocuda
