// tocuda, Apache-2.0.
// Tests each fakes entry as environment variables.
#include <gtest/gtest.h>

#include "process/clean_environment.hpp"

namespace tocuda {
namespace {

Environment placed(const std::vector<std::string>& fakes, const Environment& here = {}) {
    return fakes_environment(fakes, "/simulator", here).value();
}

TEST(FakesEnvironment, NoneChangesNothing) { EXPECT_EQ(placed({}), Environment{}); }

TEST(FakesEnvironment, AbsentDriverIsFoundFirstAndGpuChoiceUnset) {
    EXPECT_EQ(placed({"driver absent"}), (Environment{{"LD_LIBRARY_PATH", "/simulator/absent"},
                                                      {"CUDA_VISIBLE_DEVICES", std::nullopt},
                                                      {"CUDA_DEVICE_ORDER", std::nullopt}}));
}

struct Told {
    std::string fake;
    Environment variables;
};
class BrokenDriver : public testing::TestWithParam<Told> {};

TEST_P(BrokenDriver, GetsItsSettings) {
    auto changes = placed({GetParam().fake});
    auto expected = GetParam().variables;
    expected["LD_LIBRARY_PATH"] = "/simulator/driver";
    expected["CUDA_VISIBLE_DEVICES"] = expected["CUDA_DEVICE_ORDER"] = std::nullopt;
    EXPECT_EQ(changes, expected);
}

INSTANTIATE_TEST_SUITE_P(
    FakesEnvironment, BrokenDriver,
    testing::Values(Told{"driver 11020", {{"TOCUDA_DRIVER", "11020"}}},
                    Told{"driver 13000 init 999", {{"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_INIT", "999"}}},
                    Told{"driver 13000 visible", {{"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_GPUS", "1"}}},
                    Told{"driver 13000 visible 4", {{"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_GPUS", "4"}}}));

TEST(FakesEnvironment, KeepsUsersLibraryPathAfterOurs) {
    EXPECT_EQ(placed({"driver absent"}, {{"LD_LIBRARY_PATH", "/mine:/other"}}).at("LD_LIBRARY_PATH"),
              "/simulator/absent:/mine:/other");
}

TEST(FakesEnvironment, EmptyLibraryPathAddsNoEmptyFolder) {
    EXPECT_EQ(placed({"driver absent"}, {{"LD_LIBRARY_PATH", ""}}).at("LD_LIBRARY_PATH"), "/simulator/absent");
}

TEST(FakesEnvironment, RuntimeIsPreloadedBehindRecorder) {
    const auto changes = placed({"runtime /tmp/two gpus.json"});
    EXPECT_EQ(changes.at("LD_PRELOAD"),
              "/simulator/recorder/libtocuda_recorder.so:/simulator/simulated/libcudart.so.13");
    EXPECT_EQ(changes.at("LD_LIBRARY_PATH"), "/simulator/simulated");
    EXPECT_EQ(changes.at("TOCUDA_SIMULATION"), "/tmp/two gpus.json");
    EXPECT_EQ(changes.at("CUDA_VISIBLE_DEVICES"), std::nullopt);
}

TEST(FakesEnvironment, BlasIsPreloadedBehindRuntimeOnly) {
    const std::string runtime = "/simulator/recorder/libtocuda_recorder.so:/simulator/simulated/libcudart.so.13";
    EXPECT_EQ(placed({"blas", "runtime /tmp/x"}).at("LD_PRELOAD"),
              runtime + ":/simulator/simulated/libcublas.so.13:/simulator/simulated/libcublasLt.so.13");
    EXPECT_EQ(placed({"blas"}), Environment{});
}

TEST(FakesEnvironment, RecorderAloneKeepsLibrariesAndGpus) {
    EXPECT_EQ(placed({"recorder"}, {{"ASAN_OPTIONS", "detect_leaks=0"}}),
              (Environment{{"LD_PRELOAD", "/simulator/recorder/libtocuda_recorder.so"},
                           {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}}));
}

class BadWord : public testing::TestWithParam<std::string> {};

TEST_P(BadWord, IsNamed) {
    const auto result = fakes_environment({GetParam()}, "/simulator", {});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().what.find("'" + GetParam() + "'"), std::string::npos) << result.error().what;
}

INSTANTIATE_TEST_SUITE_P(FakesEnvironment, BadWord,
                         testing::Values("", "driver", "driver ", "driver old", "driver -1", "driver 13000 init",
                                         "driver 13000 init x", "driver 13000 visible 1 2", "driver 13000 later",
                                         "driver 13000 later 3", "driver 13000 visible x", "driver  11020", "runtime",
                                         "runtime ", "recorder on", "Driver absent"));

TEST(FakesEnvironment, RefusesConflictingEntries) {
    const auto result = fakes_environment({"driver absent", "runtime /tmp/x"}, "/simulator", {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what, "fake library 'runtime /tmp/x' conflicts with an earlier one");
}

}  // namespace
}  // namespace tocuda
