// tocuda, Apache-2.0.
// Tests when a recording can be resumed, and with which options.
#include "command/resumable.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "command/run_recording.hpp"
#include "lines/run_line.hpp"
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
    line.command = {"tocuda", "run", "dtype/", "--simulate", "1xH200", "--gpus", "0", "--jobs", "3"};
    return line;
}

TEST(Resumable, AcceptsUnchangedMachine) { EXPECT_EQ(why_not_resumable(recorded(), recorded()), ""); }

TEST(Resumable, NamesDifferencesWithOldAndNewValue) {
    const auto why = [](void (*change)(RunLine&)) {
        auto now = recorded();
        change(now);
        return why_not_resumable(recorded(), now);
    };
    EXPECT_EQ(why([](RunLine& now) { now.verb = "bench"; }), "it was recorded by `tocuda run`");
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

// Reads a file of one section as `--resume` does.
RunOptions resumed_with(RunOptions options) {
    const TestFolder folder;
    options.resume = folder.path() / "run.jsonl";
    std::ofstream(options.resume) << to_line(recorded()) << "\n";
    const auto before = read_run_before(options);
    EXPECT_TRUE(std::holds_alternative<RunBefore>(before)) << std::get<std::string>(before);
    return options;
}

TEST(Resumable, TakesSelectionFromFileAndRestFromCommandLine) {
    const auto options = resumed_with({.jobs = 2});
    EXPECT_EQ(options.patterns, Words{"dtype/"});
    EXPECT_EQ(options.simulate, "1xH200");
    EXPECT_EQ(options.gpus, "0");
    EXPECT_EQ(options.jobs, 2);
}

TEST(Resumable, CommandLineOverridesWhereItRuns) {
    EXPECT_EQ(resumed_with({.simulate = "2x8GiB"}).simulate, "2x8GiB");
    EXPECT_EQ(resumed_with({.real = true}).simulate, "");
}

}  // namespace
}  // namespace tocuda
