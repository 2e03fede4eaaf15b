// tocuda, Apache-2.0.
// Tests each stand_ins entry as environment variables.
#include "process/stand_in_environment.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

Environment placed(const std::vector<std::string>& stand_ins, const Environment& here = {}) {
    auto result = stand_in_environment(stand_ins, "/stand_in", here);
    if (const auto* bad = std::get_if<BadStandIn>(&result)) {
        ADD_FAILURE() << bad->problem;
        return {};
    }
    return std::get<Environment>(result);
}

TEST(StandInEnvironment, NoneChangesNothing) { EXPECT_EQ(placed({}), Environment{}); }

TEST(StandInEnvironment, AbsentDriverIsFoundFirstAndGpuChoiceUnset) {
    EXPECT_EQ(placed({"driver absent"}), (Environment{{"LD_LIBRARY_PATH", "/stand_in/absent"},
                                                      {"CUDA_VISIBLE_DEVICES", std::nullopt},
                                                      {"CUDA_DEVICE_ORDER", std::nullopt}}));
}

struct Told {
    std::string stand_in;
    Environment variables;
};
class BrokenDriver : public testing::TestWithParam<Told> {};

TEST_P(BrokenDriver, GetsItsSettings) {
    auto changes = placed({GetParam().stand_in});
    auto expected = GetParam().variables;
    expected["LD_LIBRARY_PATH"] = "/stand_in/driver";
    expected["CUDA_VISIBLE_DEVICES"] = expected["CUDA_DEVICE_ORDER"] = std::nullopt;
    EXPECT_EQ(changes, expected);
}

INSTANTIATE_TEST_SUITE_P(
    StandInEnvironment, BrokenDriver,
    testing::Values(Told{"driver 11020", {{"TOCUDA_DRIVER", "11020"}}},
                    Told{"driver 13000 init 999", {{"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_INIT", "999"}}},
                    Told{"driver 13000 visible", {{"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_GPUS", "1"}}},
                    Told{"driver 13000 visible 4", {{"TOCUDA_DRIVER", "13000"}, {"TOCUDA_DRIVER_GPUS", "4"}}}));

TEST(StandInEnvironment, KeepsUsersLibraryPathAfterOurs) {
    EXPECT_EQ(placed({"driver absent"}, {{"LD_LIBRARY_PATH", "/mine:/other"}}).at("LD_LIBRARY_PATH"),
              "/stand_in/absent:/mine:/other");
}

TEST(StandInEnvironment, EmptyLibraryPathAddsNoEmptyFolder) {
    EXPECT_EQ(placed({"driver absent"}, {{"LD_LIBRARY_PATH", ""}}).at("LD_LIBRARY_PATH"), "/stand_in/absent");
}

TEST(StandInEnvironment, RuntimeIsPreloadedBehindRecorder) {
    const auto changes = placed({"runtime /tmp/two gpus.json"});
    EXPECT_EQ(changes.at("LD_PRELOAD"), "/stand_in/recorder/libtocuda_recorder.so:/stand_in/simulated/libcudart.so.13");
    EXPECT_EQ(changes.at("LD_LIBRARY_PATH"), "/stand_in/simulated");
    EXPECT_EQ(changes.at("TOCUDA_SIMULATION"), "/tmp/two gpus.json");
    EXPECT_EQ(changes.at("CUDA_VISIBLE_DEVICES"), std::nullopt);
}

TEST(StandInEnvironment, RecorderAloneKeepsLibrariesAndGpus) {
    EXPECT_EQ(placed({"recorder"}, {{"ASAN_OPTIONS", "detect_leaks=0"}}),
              (Environment{{"LD_PRELOAD", "/stand_in/recorder/libtocuda_recorder.so"},
                           {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}}));
}

class BadWord : public testing::TestWithParam<std::string> {};

TEST_P(BadWord, IsNamed) {
    const auto result = stand_in_environment({GetParam()}, "/stand_in", {});
    ASSERT_TRUE(std::holds_alternative<BadStandIn>(result));
    EXPECT_EQ(std::get<BadStandIn>(result).stand_in, GetParam());
    EXPECT_NE(std::get<BadStandIn>(result).problem.find("'" + GetParam() + "'"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(StandInEnvironment, BadWord,
                         testing::Values("", "driver", "driver ", "driver old", "driver -1", "driver 13000 init",
                                         "driver 13000 init x", "driver 13000 visible 1 2", "driver 13000 later",
                                         "driver 13000 later 3", "driver 13000 visible x", "driver  11020", "runtime",
                                         "runtime ", "recorder on", "Driver absent"));

TEST(StandInEnvironment, RefusesConflictingEntries) {
    const auto result = stand_in_environment({"driver absent", "runtime /tmp/x"}, "/stand_in", {});
    ASSERT_TRUE(std::holds_alternative<BadStandIn>(result));
    EXPECT_EQ(std::get<BadStandIn>(result).stand_in, "runtime /tmp/x");
}

}  // namespace
}  // namespace tocuda
