// tocuda, Apache-2.0.
// Which parameter sets are measured for given patterns, choices and protocols.
#include "request/sweep.hpp"

#include <gtest/gtest.h>

#include "model/parameter_values.hpp"

namespace tocuda {
namespace {

class SweepOf : public testing::Test {
protected:
    SweepOf() {
        catalogue.workers.push_back({.name = "tocuda-cuda", .program = "/x"});
        catalogue.workers[0].benchmarks = {
            {.name = "copy/host_to_device/pinned",
             .summary = "",
             .parameters = {{"bytes", {4, 4096, 1048576}}, {"streams", {1, 2}}},
             .quick = {{"bytes", {4096}}, {"streams", {1}}},
             .role = {.characterise = {"bytes=4096"}}},
            {.name = "memory/read",
             .summary = "",
             .parameters = {{"bytes", {4096}}},
             .quick = {{"bytes", {}}},
             .full = {{"bytes", {4096, 8192}}},
             .role = {.characterise = {"bytes=1GiB"}}},
            {.name = "tune/read", .summary = "", .parameters = {{"bytes", {1 << 30}}}, .role = {.tunes = true}},
            {.name = "start/process", .summary = "", .parameters = {{"through", {"libtorch", "runtime"}}}},
        };
    }

    // "NAME SET; SET | NAME ..."
    std::string sets(const std::vector<std::string>& patterns, const std::vector<std::string>& choices = {},
                     const std::string& protocol = "default") {
        Wanted wanted{patterns, {}, protocol};
        for (const auto& word : choices) wanted.choices.push_back(*parameter_choice(word));
        const auto found = sweeps_of(catalogue, wanted);
        if (!found) return "wrong: " + found.error().what;
        std::string text;
        for (const auto& sweep : found->sweeps) {
            text += (text.empty() ? "" : " | ") + sweep.benchmark.name;
            for (const auto& set : sweep.sets) text += "; " + plain(set);
        }
        return text;
    }

    Catalogue catalogue;
};

TEST_F(SweepOf, PatternIsNameLastPartFolderOrGlob) {
    for (const auto* pattern : {"memory/read", "memory/", "memory", "memory/*"})
        EXPECT_EQ(sets({pattern}), "memory/read; bytes=4096") << pattern;
    EXPECT_EQ(sets({"process"}), "start/process; through=libtorch; through=runtime");
}

TEST_F(SweepOf, CombinesAllParameterValues) {
    EXPECT_EQ(
        sets({"pinned"}),
        "copy/host_to_device/pinned; bytes=4 streams=1; bytes=4 streams=2; bytes=4096 streams=1; bytes=4096 streams=2; "
        "bytes=1048576 streams=1; bytes=1048576 streams=2");
}

TEST_F(SweepOf, QuickSkipsBenchmarksWithoutValuesUnlessNamedInFull) {
    EXPECT_EQ(sets({}, {}, "quick"),
              "copy/host_to_device/pinned; bytes=4096 streams=1 | start/process; through=libtorch; through=runtime");
    EXPECT_EQ(sets({"memory/"}, {}, "quick"), "");
    EXPECT_EQ(sets({"memory/read"}, {}, "quick"), "memory/read; bytes=4096");
}

TEST_F(SweepOf, MeasuresBenchmarkWithoutDefaultValuesIfSelected) {
    catalogue.workers[0].benchmarks.push_back({.name = "memory/rare",
                                               .summary = "",
                                               .parameters = {{"bytes", {}}, {"hint", {"plain"}}},
                                               .quick = {{"bytes", {}}},
                                               .full = {{"bytes", {64, 128}}}});
    EXPECT_EQ(sets({}).find("memory/rare"), std::string::npos) << sets({});
    const std::string all = "memory/rare; bytes=64 hint=plain; bytes=128 hint=plain";
    EXPECT_NE(sets({}, {}, "full").find(all), std::string::npos) << sets({}, {}, "full");
    EXPECT_EQ(sets({"memory/rare"}), all);
    EXPECT_EQ(sets({"rare"}), all);
    EXPECT_EQ(sets({"memory/rare"}, {"bytes=17"}), "memory/rare; bytes=17 hint=plain");
    EXPECT_EQ(sets({}, {}, "quick").find("memory/rare"), std::string::npos);
    const auto found = sweeps_of(catalogue, {});
    EXPECT_EQ(found->on_request, std::vector<std::string>{"memory/rare"});
}

// A folder or a glob chooses among what is measured without a word, so that its time is no surprise.
TEST_F(SweepOf, FolderMeasuresWithoutDefaultValuesOnlyIfItHasNothingElse) {
    catalogue.workers[0].benchmarks.push_back({.name = "memory/rare",
                                               .summary = "",
                                               .parameters = {{"bytes", {}}, {"hint", {"plain"}}},
                                               .full = {{"bytes", {64, 128}}}});
    catalogue.workers[0].benchmarks.push_back(
        {.name = "seldom/rare", .summary = "", .parameters = {{"bytes", {}}}, .full = {{"bytes", {64, 128}}}});
    for (const auto* pattern : {"memory/", "memory", "memory/*", "mem*"})
        EXPECT_EQ(sets({pattern}), "memory/read; bytes=4096") << pattern;
    EXPECT_EQ(sweeps_of(catalogue, {.patterns = {"memory/"}})->on_request, std::vector<std::string>{"memory/rare"});
    for (const auto* pattern : {"seldom/", "seldom/*"})
        EXPECT_EQ(sets({pattern}), "seldom/rare; bytes=64; bytes=128") << pattern;
    EXPECT_EQ(sets({"memory/", "seldom/"}), "memory/read; bytes=4096 | seldom/rare; bytes=64; bytes=128");
    EXPECT_EQ(sets({"memory/"}, {"bytes=32"}), "memory/read; bytes=32");
    EXPECT_EQ(sets({"memory/", "memory/rare"}),
              "memory/rare; bytes=64 hint=plain; bytes=128 hint=plain | "
              "memory/read; bytes=4096");
}

TEST_F(SweepOf, MeasuresTuningBenchmarksOnlyIfNamed) {
    for (const auto* protocol : {"quick", "default", "full"})
        EXPECT_EQ(sets({}, {}, protocol).find("tune/"), std::string::npos) << protocol;
    for (const auto* pattern : {"tune/", "tune/read", "*/read"})
        EXPECT_NE(sets({pattern}).find("tune/read; bytes=1073741824"), std::string::npos) << pattern;
}

TEST_F(SweepOf, LowersSetsAboveASize) {
    const auto lowered = [&](std::int64_t most, std::int64_t instead, int gpus = 1) {
        auto sweeps = sweeps_of(catalogue, {.patterns = {"memory/read"}, .protocol = "full"}).value();
        for (auto& sweep : sweeps.sweeps) sweep.benchmark.needs.gpus = gpus;
        const auto count = lower_sets_above(sweeps, most, instead);
        std::string text = std::to_string(count);
        for (const auto& sweep : sweeps.sweeps)
            for (const auto& set : sweep.sets) text += " " + std::to_string(whole_if_any(set, "bytes").value_or(0));
        return text;
    };
    EXPECT_EQ(lowered(8192, 64), "0 4096 8192");
    EXPECT_EQ(lowered(4096, 64), "1 4096 64");
    EXPECT_EQ(lowered(4096, 4096), "1 4096") << "no set twice";
    EXPECT_EQ(lowered(4095, 64), "2 64");
    EXPECT_EQ(lowered(4095, 64, 0), "0 4096 8192") << "the host is not simulated";
}

TEST_F(SweepOf, FullUsesItsOwnValues) {
    EXPECT_EQ(sets({"memory/read"}, {}, "full"), "memory/read; bytes=4096; bytes=8192");
}

TEST_F(SweepOf, AcceptsValuesOutsideSweep) {
    EXPECT_EQ(sets({"memory/read"}, {"bytes=17,1MiB"}), "memory/read; bytes=17; bytes=1048576");
}

TEST_F(SweepOf, RangeTakesValuesOfSweepAndPowersOfFour) {
    EXPECT_EQ(sets({"memory/read"}, {"bytes=4000..20KiB"}), "memory/read; bytes=4096; bytes=16384");
    EXPECT_EQ(sets({"pinned"}, {"streams=2..9", "bytes=4"}), "copy/host_to_device/pinned; bytes=4 streams=2")
        << "other numbers have no powers of 4";
}

TEST_F(SweepOf, SkipsBenchmarksWithoutChosenValues) {
    EXPECT_EQ(sets({}, {"through=runtime"}), "start/process; through=runtime");
    EXPECT_EQ(sets({}, {"bytes=64", "streams=1"}), "copy/host_to_device/pinned; bytes=64 streams=1");
}

TEST_F(SweepOf, RefusesChoiceThatMatchesNothing) {
    EXPECT_NE(sets({}, {"bites=64"}).find("did you mean 'bytes'?"), std::string::npos);
    EXPECT_NE(sets({}, {"through=runtim"}).find("did you mean 'runtime'?"), std::string::npos);
    EXPECT_NE(sets({"start/"}, {"bytes=64"}).find("no parameter named 'bytes'"), std::string::npos);
    EXPECT_EQ(sets({}, {"bytes=5..6"}), "wrong: bytes=5..6: no such value; available: 4, 4096, 8192, 1048576");
    EXPECT_EQ(sets({}, {"through=runtime", "bytes=4"}),
              "wrong: no benchmark has all chosen parameters and values together: through=runtime bytes=4");
    EXPECT_NE(sets({}, {"streams=lots"}).find("is not an amount"), std::string::npos);
}

TEST_F(SweepOf, RefusesEachValueOfAListThatMatchesNothing) {
    EXPECT_NE(sets({}, {"through=runtime,libtorhc"}).find("wrong: through=libtorhc: no such value"), std::string::npos);
    EXPECT_EQ(sets({"memory/read", "pinned"}, {"streams=1", "bytes=64"}),
              "copy/host_to_device/pinned; bytes=64 streams=1");
}

TEST_F(SweepOf, LeavesOutNumbersThatABenchmarkDoesNotAllow) {
    catalogue.workers[0].benchmarks[0].allowed = {{"bytes", {.least = 16}}, {"streams", {.least = 1, .most = 8}}};
    EXPECT_EQ(sets({}, {"bytes=8"}), "memory/read; bytes=8") << "the other benchmark does not allow it";
    EXPECT_EQ(sets({"pinned"}, {"bytes=8..64", "streams=8"}),
              "copy/host_to_device/pinned; bytes=16 streams=8; bytes=64 streams=8");
    EXPECT_EQ(sets({"pinned"}, {"bytes=8"}),
              "wrong: bytes=8: copy/host_to_device/pinned: bytes must be at least 16, not 8");
    EXPECT_EQ(sets({"pinned"}, {"streams=2,9"}),
              "wrong: streams=9: copy/host_to_device/pinned: streams must be between 1 and 8, not 9");
}

TEST_F(SweepOf, SaysWhatMustBeNamedForAChoice) {
    catalogue.workers[0].benchmarks.push_back({.name = "memory/rare",
                                               .summary = "",
                                               .parameters = {{"bytes", {}}, {"hint", {"plain"}}},
                                               .quick = {{"bytes", {}}},
                                               .full = {{"bytes", {64, 128}}}});
    auto other = catalogue.workers[0].benchmarks.back();
    other.name = "memory/rarer";
    other.parameters["hint"] = {"other"};
    catalogue.workers[0].benchmarks.push_back(other);
    EXPECT_EQ(sets({}, {"hint=none"}), "wrong: hint=none: no such value; available: other, plain");
    EXPECT_EQ(sets({}, {"hint=plain"}), "wrong: hint=plain: only memory/rare has it, and must be named in full");
    EXPECT_EQ(sets({"memory/"}, {"hint=plain"}, "quick"),
              "wrong: hint=plain: only memory/rare has it, and --quick leaves out what is not named in full");
    EXPECT_EQ(sets({"memory/rare"}, {"hint=plain", "bytes=64"}, "quick"), "memory/rare; bytes=64 hint=plain");
}

TEST_F(SweepOf, RefusesUnknownName) {
    EXPECT_NE(sets({"memory/raed"}).find("did you mean 'memory/read'?"), std::string::npos);
    EXPECT_NE(sets({"memroy/"}).find("did you mean 'memory/'?"), std::string::npos);
}

TEST(ParameterChoice, RefusesIncompleteChoices) {
    for (const auto* word : {"bytes=", "bytes=4,", "bytes=..4", "bytes=4..", "=4", "bytes", "bytes=4..2", "bytes=x"})
        EXPECT_FALSE(parameter_choice(word)) << word;
}

TEST_F(SweepOf, CharacteriseTakesItsOwnSelectionOfWhatThereIs) {
    const auto found = sweeps_of(catalogue, {.characterise = true});
    ASSERT_TRUE(found) << found.error().what;
    ASSERT_EQ(found->sweeps.size(), 2U) << "the others say nothing of it";
    EXPECT_EQ(found->sweeps[0].benchmark.name, "copy/host_to_device/pinned");
    EXPECT_EQ(found->sweeps[1].sets, (std::vector<Parameters>{{{"bytes", std::int64_t{1} << 30}}}));
}

TEST_F(SweepOf, SuggestsCharacteriseToOtherSpellings) {
    EXPECT_NE(sets({"characterize"}).find("did you mean 'characterise'?"), std::string::npos) << sets({"characterize"});
}

TEST(ProtocolCalled, QuickIsShorterAndFullIsLonger) {
    EXPECT_EQ(protocol_called("default"), Protocol{});
    EXPECT_EQ(protocol_called("quick").processes_min, 3);
    EXPECT_EQ(protocol_called("quick").launch_budget_s, 0.01);
    EXPECT_EQ(protocol_called("full").launch_budget_s, 1);
    EXPECT_EQ(protocol_called("full").version, protocol_called("quick").version) << "their rows are comparable";
}

std::string pairs_left(std::int64_t gpus, const Values& from, const Values& to) {
    Catalogue catalogue;
    catalogue.workers.push_back({.name = "tocuda-cuda", .program = "/x"});
    catalogue.workers[0].benchmarks = {
        {.name = "pairs/copy", .summary = "", .parameters = {{"from", from}, {"to", to}}, .needs = {.gpus = 2}},
        {.name = "convert/device", .summary = "", .parameters = {{"from", {9}}, {"to", {9}}}, .needs = {.gpus = 1}}};
    auto found = sweeps_of(catalogue, {.patterns = {"pairs/", "convert/"}, .choices = {}});
    remove_pairs_beyond(*found, gpus);
    std::string text;
    for (const auto& sweep : found->sweeps)
        for (const auto& set : sweep.sets) text += plain(set) + "; ";
    return text;
}

TEST(PairsBeyond, AreRemovedWithTheGpuItself) {
    EXPECT_EQ(pairs_left(2, {0, 1, 2}, {0, 1, 2}), "from=9 to=9; from=0 to=1; from=1 to=0; ");
    EXPECT_EQ(pairs_left(3, {0}, {0, 1, 2, 3}), "from=9 to=9; from=0 to=1; from=0 to=2; ");
}

TEST(PairsBeyond, StayIfNothingElseWasChosen) { EXPECT_EQ(pairs_left(2, {5}, {0}), "from=9 to=9; from=5 to=0; "); }

}  // namespace
}  // namespace tocuda
