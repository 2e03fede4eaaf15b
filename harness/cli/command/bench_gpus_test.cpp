// tocuda, Apache-2.0.
// Measurements on simulated GPUs: which of them a process sees, and what happens after one is lost.
#include <gtest/gtest.h>

#include <set>

#include "command/simulated_bench_test.hpp"
#include "engine/engine.hpp"
#include "execution/place.hpp"

namespace tocuda {
namespace {

TEST(VisibleGpus, AreUnchangedIfAllAreMeasured) {
    EXPECT_EQ(visible_gpus({0}, 1, std::nullopt), std::nullopt);
    EXPECT_EQ(visible_gpus({0, 1}, 2, "4,5"), std::nullopt);
    EXPECT_EQ(visible_gpus({}, 2, std::nullopt), std::nullopt);
}

TEST(VisibleGpus, AreChosenFromListOfThisProcess) {
    EXPECT_EQ(visible_gpus({1}, 2, std::nullopt), "1");
    EXPECT_EQ(visible_gpus({1}, 2, "4,GPU-77"), "GPU-77");
    EXPECT_EQ(visible_gpus({0, 2}, 3, "7,5,3"), "7,3");
}

TEST(AmongUsableGpus, AVariantsListIsKeptIfNothingRestrictsTheRun) {
    const Usable all{{"GPU-a", "GPU-b", "GPU-c"}, true};
    EXPECT_EQ(among(all, "2,0"), "2,0");
    EXPECT_EQ(among(all, std::nullopt), std::nullopt);
    EXPECT_EQ(among({}, "2,0"), "2,0");
}

TEST(AmongUsableGpus, AVariantsListNamesNoOthers) {
    const Usable two{{"GPU-b", "GPU-d"}, false};
    EXPECT_EQ(among(two, "1,0"), "GPU-d,GPU-b");
    EXPECT_EQ(among(two, "0,-1,1"), "GPU-b,-1,GPU-d");
    EXPECT_EQ(among(two, "2,0"), "-1,GPU-b");
    EXPECT_EQ(among(two, ""), "");
    EXPECT_EQ(among(two, std::nullopt), "GPU-b,GPU-d");
}

TEST(AmongUsableGpus, AUuidIsThatOfTheFirst) {
    EXPECT_EQ(among({{"GPU-b", "GPU-d"}, true}, "GPU-70c0da00-0000-4000-8000-000000000001"), "GPU-b");
}

TEST(UnusedGpus, AreTakenAndAUsedOneIsRefused) {
    EXPECT_EQ(unused_gpus({0, 1, 2}, {}, false).value(), (std::vector{0, 1, 2}));
    EXPECT_EQ(unused_gpus({0, 1, 2}, {1, 5}, false).value(), (std::vector{0, 2}));
    EXPECT_FALSE(unused_gpus({0, 1, 2}, {1}, true));
    const auto none = unused_gpus({0, 1}, {0, 1}, false);
    ASSERT_FALSE(none);
    EXPECT_TRUE(none.error().what.starts_with("other programs use GPUs 0, 1")) << none.error().what;
}

ProbeReport sound_report() {
    ProbeReport report;
    report.finished = true;
    report.init = 0;
    report.devices = 1;
    report.gpus = {{.index = 0, .uuid = "GPU-1"}};
    return report;
}

TEST(WhySick, AcceptsGpuThatAnswers) {
    EXPECT_EQ(why_sick(sound_report(), "", "GPU-1"), "");
    EXPECT_EQ(why_sick(sound_report(), "", std::nullopt), "");
}

TEST(WhySick, RejectsGpuThatIsNoLongerFound) { EXPECT_NE(why_sick(sound_report(), "", "GPU-2"), ""); }

TEST(WhySick, AcceptsReportWithGpuWithoutUuid) {
    auto report = sound_report();
    report.gpus[0].uuid.reset();
    EXPECT_EQ(why_sick(report, "", "GPU-2"), "");
}

TEST(WhySick, RejectsDriverThatDoesNotAnswer) {
    auto report = sound_report();
    report.finished = false;
    EXPECT_NE(why_sick(report, "still ran at its deadline", "GPU-1").find("deadline"), std::string::npos);
    report = sound_report();
    report.init = 999;
    EXPECT_NE(why_sick(report, "", "GPU-1").find("999"), std::string::npos);
    report = sound_report();
    report.devices = 0;
    EXPECT_NE(why_sick(report, "", "GPU-1"), "");
}

class SimulatedBench : public BenchOnSimulatedGpus {};

TEST_F(SimulatedBench, SaysSimulatedOnFirstLineInRowsAndInFileName) {
    const auto finished = place.run({"bench", "fake/on_gpu", "--simulate", "1xH200", "--quick"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_TRUE(finished.out.starts_with("SIMULATED: ")) << finished.out;
    EXPECT_NE(place.files().at(0).filename().string().find("-bench-simulated-"), std::string::npos);
    for (const auto& row : rows()) {
        EXPECT_EQ(row.device, Device::simulated);
        EXPECT_EQ(row.samples.gpu, "GPU-70c0da00-0000-4000-8000-000000000000");
        EXPECT_EQ(row.stand_in, std::vector<std::string>{"runtime 1xH200"});
    }
}

TEST_F(SimulatedBench, MeasuresChosenGpusOneAfterAnother) {
    const auto finished =
        place.run({"bench", "fake/on_gpu", "--simulate", "3x1GiB", "--gpus", "0,2", "--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    std::map<std::string, int> count;
    for (const auto& row : rows()) ++count[row.samples.gpu];
    EXPECT_EQ(count, (std::map<std::string, int>{{"GPU-70c0da00-0000-4000-8000-000000000000", 6},
                                                 {"GPU-70c0da00-0000-4000-8000-000000000002", 6}}));
}

TEST_F(SimulatedBench, RefusesUuidPrefixOfTwoGpus) {
    const auto finished =
        place.run({"bench", "fake/on_gpu", "--simulate", "2x1GiB", "--gpus", "GPU-70", "--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 2);
    EXPECT_NE(finished.err.find("GPU-70 names 2 GPUs"), std::string::npos) << finished.err;
}

TEST_F(SimulatedBench, SkipsBenchmarkOfTwoGpusOnOne) {
    const auto finished = place.run({"bench", "fake/on_two", "--simulate", "1x1GiB", "--bytes", "4KiB"});
    EXPECT_EQ(finished.code, 4) << finished.err;
    ASSERT_EQ(rows().size(), 1U);
    EXPECT_EQ(word(rows()[0].samples.status), "skipped");
    EXPECT_NE(finished.out.find("needs 2 GPUs; found 1"), std::string::npos) << finished.out;
}

TEST_F(SimulatedBench, BenchmarkOfTwoGpusUsesBothByDefault) {
    EXPECT_EQ(place.run({"bench", "fake/on_two", "--simulate", "2x1GiB", "--bytes", "4KiB"}).code, 0);
    EXPECT_EQ(rows().size(), 6U);
}

TEST_F(SimulatedBench, MeasuringOnOtherGpuIsFault) {
    const auto finished = place.run({"bench", "fake/elsewhere", "--simulate", "1x1GiB", "--bytes", "4KiB", "--quick"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_NE(rows().at(0).samples.check.find("measured on GPU-of-someone-else"), std::string::npos)
        << rows().at(0).samples.check;
}

TEST_F(SimulatedBench, WhatNeedsNoGpuIsNotSimulated) {
    const auto finished = place.run({"bench", "fake/steady", "--simulate", "1x1GiB", "--bytes", "4KiB", "--quick"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    ASSERT_FALSE(rows().empty());
    for (const auto& row : rows()) {
        EXPECT_EQ(row.device, Device::none);
        EXPECT_EQ(row.stand_in, std::vector<std::string>{});
    }
}

TEST_F(SimulatedBench, StopsUsingLostGpuAndContinues) {
    const auto finished = place.run({"bench", "fake/loses_gpu", "fake/on_gpu", "fake/steady", "--simulate", "1x1GiB",
                                     "--quick", "--bytes", "64KiB", "--jobs", "1"});
    EXPECT_EQ(finished.code, 1) << finished.err;
    EXPECT_NE(finished.err.find("GPU 0"), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("is not used any further"), std::string::npos) << finished.err;
    int steady = 0;
    for (const auto& row : rows()) steady += row.benchmark == "fake/steady" && row.samples.status == Status::ok ? 1 : 0;
    EXPECT_EQ(steady, 6) << "benchmarks that need no GPU continue";
    for (const auto& row : rows())
        EXPECT_EQ(word(row.samples.status) == "crashed", row.benchmark == "fake/loses_gpu") << row.benchmark;
}

}  // namespace
}  // namespace tocuda
