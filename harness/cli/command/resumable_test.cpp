// tocuda, Apache-2.0.
// Tests when a recording can be resumed, and what a file says about it.
#include <gtest/gtest.h>

#include <fstream>

#include "execution/recorded_run.hpp"
#include "execution/recording.hpp"
#include "json_lines/lines.hpp"
#include "model/folder_test.hpp"

namespace tocuda {
namespace {

RunLine recorded() {
    RunLine line{.run = "11111111-2222-4333-8444-555555555555",
                 .time = "2026-11-21T10:00:00Z",
                 .verb = "run",
                 .device = Device::simulated,
                 .boot = "b1"};
    line.machine.host = "here";
    line.driver = {"580.95.05", "13.0", "simulated"};
    line.libtorch.version = "2.15.0";
    line.gpus = {Gpu{.index = 0, .uuid = "GPU-1", .name = "NVIDIA H200"}};
    line.suite.version = "0.1.0";
    line.command = {"tocuda", "run", "dtype/", "--simulate", "1xH200", "--gpus", "0"};
    return line;
}

TEST(Resumable, AcceptsUnchangedMachine) { EXPECT_EQ(why_not_resumable(recorded(), recorded()), ""); }

TEST(Resumable, NamesDifferencesWithOldAndNewValue) {
    const auto why = [](void (*change)(RunLine&)) {
        auto now = recorded();
        change(now);
        return why_not_resumable(recorded(), now);
    };
    EXPECT_EQ(why([](RunLine& now) { now.boot = "b2"; }), "the machine was rebooted, or it is a different one");
    EXPECT_EQ(why([](RunLine& now) { now.boot = "b2", now.machine.host = "there"; }),
              "the machine was rebooted, or it is a different one: was here, is there");
    EXPECT_EQ(why([](RunLine& now) { now.driver.kernel_module = "590.10"; }),
              "the driver differs: was 580.95.05 (CUDA 13.0), simulated, is 590.10 (CUDA 13.0), simulated");
    EXPECT_EQ(why([](RunLine& now) { now.gpus[0].uuid = "GPU-2"; }),
              "the GPUs differ: was simulated NVIDIA H200 GPU-1, is simulated NVIDIA H200 GPU-2");
    EXPECT_EQ(why([](RunLine& now) { now.suite.dirty = true; }),
              "tocuda has changed: was tocuda 0.1.0 (commit unknown), is tocuda 0.1.0 (commit unknown, with changes)");
    EXPECT_EQ(why([](RunLine& now) { now.libtorch.version.reset(); }),
              "the version of LibTorch differs: was 2.15.0, is unknown");
}

// Writes a file of one section and finds its run again, as `--resume` does.
OrExit<FoundRun> found_in(const RunLine& line, const std::string& verb) {
    const TestFolder folder;
    const auto file = folder.path() / "run.jsonl";
    std::ofstream(file) << to_line(line) << "\n";
    return last_run_of(file, verb);
}

RunLine with_plan(Plan plan) {
    auto line = recorded();
    line.plan = std::make_shared<const Plan>(std::move(plan));
    return line;
}

TEST(Resumable, TakesPlanFromFile) {
    const Plan plan{.where = {"1xH200", false, "0"}, .seed = 7, .variants = {{.scenario = "dtype/a", .variant = "b"}}};
    const auto found = found_in(with_plan(plan), "run");
    ASSERT_TRUE(found) << found.error().why;
    EXPECT_EQ(*found->plan, plan);
}

TEST(Resumable, RefusesRunOfOtherVerb) {
    const auto found = found_in(with_plan({}), "bench");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, usage);
    EXPECT_NE(found.error().why.find("recorded by `tocuda run`"), std::string::npos) << found.error().why;
}

TEST(Resumable, RefusesFileWithoutPlan) {
    const auto found = found_in(recorded(), "run");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, usage);
    EXPECT_NE(found.error().why.find("no plan"), std::string::npos) << found.error().why;
}

TEST(Resumable, RefusesOtherChoiceOfGpus) {
    const auto found = found_in(with_plan({.where = {"1xH200", false, "0"}}), "run");
    ASSERT_TRUE(found);
    Place place{.line = recorded(), .where = {"1xH200", false, "0"}};
    EXPECT_EQ(why_not_resumable(*found, place), "");
    place.where.gpus = "1";
    EXPECT_EQ(why_not_resumable(*found, place), "it was run with --gpus 0; resume it the same way");
}

TEST(Resumable, RequestOverridesWhereItRuns) {
    const Where planned{"1xH200", false, "0"};
    EXPECT_EQ(resumed_where({}, planned), planned);
    EXPECT_EQ(resumed_where({.simulate = "2x8GiB"}, planned), (Where{"2x8GiB", false, "0"}));
    EXPECT_EQ(resumed_where({.real = true}, planned), (Where{"", true, "0"}));
}

}  // namespace
}  // namespace tocuda
