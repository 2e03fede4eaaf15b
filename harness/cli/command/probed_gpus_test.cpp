// tocuda, Apache-2.0.
// Tests that the driver alone decides which GPUs there are, with or without NVML, and why there are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "command/driven_program_test.hpp"
#include "engine/engine.hpp"

namespace tocuda {
namespace {

class ProbedGpus : public testing::Test {
protected:
    ProbedGpus() {
        place.add_fake_bench();
        std::filesystem::create_directory(libraries);
    }

    // With no module: a file that cannot be loaded.
    void install(const std::string& name, const std::string& module = "") const {
        if (module.empty()) driven::write(libraries / name, "");
        else std::filesystem::create_symlink(driven::tests_folder() / module, libraries / name);
    }
    driven::Finished bench(driven::Words more = {}, driven::Variables variables = {}) const {
        driven::Words words{"bench", "fake/on_gpu", "--quick"};
        words.insert(words.end(), more.begin(), more.end());
        variables["LD_LIBRARY_PATH"] = libraries;
        return place.run(words, variables);
    }

    driven::Place place;
    const std::filesystem::path libraries = place.folder / "libraries";
};

TEST_F(ProbedGpus, AreMeasuredWithoutNvmlAndMissingFieldsAreNamed) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1");
    const auto finished = bench({"--gpus", "0"});
    EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
    const auto recording = place.recording();
    const auto& section = recording.sections.at(0);
    EXPECT_EQ(section.run.device, Device::real);
    EXPECT_EQ(section.run.gpus.size(), 3U);
    ASSERT_FALSE(section.measurements.empty());
    for (const auto& each : section.measurements)
        EXPECT_EQ(each.row.samples.status, Status::ok) << each.row.samples.check;
    std::string cause;
    for (const auto& missing : section.run.unavailable)
        if (missing.field == "gpus[0].power_limit_w") cause = missing.cause;
    EXPECT_TRUE(cause.starts_with("no NVML: libnvidia-ml.so.1 cannot be loaded: ")) << cause;
}

// Each process would fail, and a row of each benchmark with it.
TEST_F(ProbedGpus, AreNotMeasuredIfTheDriverIsOlderThanTheRuntime) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1");
    const auto finished = bench({"--gpus", "0"}, {{"FAKE_DRIVER_CUDA", "12080"}});
    EXPECT_EQ(finished.code, 4) << finished.out << finished.err;
    EXPECT_NE(finished.err.find("is built for CUDA 13.0, the driver supports up to 12.8; install a newer driver"),
              std::string::npos)
        << finished.err;
    EXPECT_TRUE(place.files().empty()) << "no process was started";
    EXPECT_EQ(bench({"--gpus", "0"}, {{"FAKE_DRIVER_CUDA", "13000"}}).code, 0) << "an older minor version will do";
}

TEST_F(ProbedGpus, CauseIsDriverThatCannotCountThemNotNvml) {
    install("libcuda.so.1", "countless_driver.so");
    install("libnvidia-ml.so.1", "countless_driver.so");
    const auto finished = bench({"--real"});
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_NE(finished.err.find("the driver has no cuDeviceGetCount"), std::string::npos) << finished.err;
    EXPECT_EQ(finished.err.find("NVML"), std::string::npos) << finished.err;
}

TEST_F(ProbedGpus, CauseIsBrokenDriverEvenWithoutNvml) {
    install("libcuda.so.1");
    install("libnvidia-ml.so.1");
    const auto finished = bench({"--real"});
    EXPECT_EQ(finished.code, 4) << finished.err;
    EXPECT_NE(finished.err.find("libcuda.so.1"), std::string::npos) << finished.err;
    EXPECT_EQ(finished.err.find("NVML"), std::string::npos) << finished.err;
}

TEST_F(ProbedGpus, WaitingForSlowDriverIsReported) {
    install("libcuda.so.1", "fake_driver.so");
    install("libnvidia-ml.so.1");
    const auto finished = bench({"--gpus", "0"}, {{"FAKE_DRIVER_SECONDS", "3"}});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_NE(finished.err.find("waiting for the driver: "), std::string::npos) << finished.err;
}

// The first of three GPUs is used; NVML knows two.
class GpusInUse : public ProbedGpus {
protected:
    GpusInUse() {
        install("libcuda.so.1", "fake_driver.so");
        install("libnvidia-ml.so.1", "fake_driver.so");
        auto one = driven::simple_scenario("steady/one");
        auto two = driven::simple_scenario("steady/two");
        auto all = driven::simple_scenario("steady/all");
        one.needs.gpus = all.needs.gpus = 1;
        two.needs.gpus = 2;
        all.variants[0].environment = {{"CUDA_VISIBLE_DEVICES", std::nullopt}};
        place.add_worker("tocuda-steady",
                         driven::worker_script({one, two, all}, "see visible \"${CUDA_VISIBLE_DEVICES-unset}\""));
    }
    driven::Finished run(const driven::Words& more, const std::string& used = "0") const {
        driven::Words words{"run", "steady/"};
        words.insert(words.end(), more.begin(), more.end());
        return place.run(words, {{"LD_LIBRARY_PATH", libraries}, {"FAKE_DRIVER_USED", used}});
    }
    std::string visible(const std::string& scenario) const {
        const auto recording = place.recording();
        const auto* row = driven::find_row(recording, scenario);
        return row ? row->evidence.text("visible") : "no row";
    }
    // What the plan says of it.
    std::string planned(const std::string& scenario) const {
        const auto recording = place.recording();
        for (const auto& variant : recording.sections.at(0).run.plan->variants)
            if (variant.scenario == scenario && variant.variables.contains("CUDA_VISIBLE_DEVICES"))
                return variant.variables.at("CUDA_VISIBLE_DEVICES").value_or("unset");
        return "not set";
    }
};

TEST_F(GpusInUse, AreAvoided) {
    const auto finished = run({});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(visible("steady/one"), "MIG-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa") << "the second GPU is an instance";
    EXPECT_EQ(visible("steady/two"), "1,2");
    EXPECT_EQ(std::ranges::count(visible("steady/all"), ','), 1) << visible("steady/all");
}

TEST_F(GpusInUse, AreRefusedIfTheyAreNamed) {
    const auto finished = run({"--gpus", "0"});
    EXPECT_EQ(finished.code, 4) << finished.out;
    EXPECT_NE(finished.err.find("other programs use GPU 0"), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find("--shared"), std::string::npos) << finished.err;
    EXPECT_TRUE(place.files().empty());
}

TEST_F(GpusInUse, AreUsedWithShared) {
    const auto finished = run({"--gpus", "0", "--shared"});
    EXPECT_EQ(finished.code, 0) << finished.err;
    EXPECT_EQ(visible("steady/one"), "0");
}

// The driver takes longer to start the more GPUs it sees.
TEST_F(GpusInUse, OneIsSeenByWhatNeedsOne) {
    const auto finished = run({}, "9");  // of three
    EXPECT_EQ(finished.code, 0) << finished.err;
    for (const auto& [scenario, seen] :
         {std::pair("steady/one", "0"), {"steady/two", "unset"}, {"steady/all", "unset"}})
        EXPECT_EQ(visible(scenario), seen) << scenario;
    EXPECT_EQ(planned("steady/one"), "0");
    EXPECT_EQ(planned("steady/two"), "not set");
}

// 1 to 3 s for each of up to sixteen GPUs.
TEST(Patience, IsEnoughToInitialiseSixteenGpus) { EXPECT_GE(probe_seconds, 16 * 3.0); }

}  // namespace
}  // namespace tocuda
