// tocuda, Apache-2.0.
// Which recordings say what is normal for a machine.
#include "comparison_input/normal.hpp"

#include <gtest/gtest.h>

#include "comparison_input/made_up_sections_test.hpp"

namespace tocuda {
namespace {

using Files = std::vector<std::string>;

RunLine of_gpu(const std::string& name, const std::string& driver, int day = 1) {
    auto run = made_up::run_of(day, driver);
    run.gpus.front().name = name;
    return run;
}

RunLine without_gpu(const std::string& libtorch, const std::string& os, int day = 1) {
    auto run = of_gpu("Simulated GPU", "580.95.05", day);
    run.device = Device::simulated;
    run.libtorch.version = libtorch;
    run.machine.os = os;
    return run;
}

TEST(Normal, IsTheSameModelAndNeverASimulatedOne) {
    auto simulated = of_gpu("NVIDIA H200", "580.95.05");
    simulated.device = Device::simulated;
    const std::vector<KeptRecording> kept{{"h100", of_gpu("NVIDIA H100", "580.95.05")},
                                          {"simulated", simulated},
                                          {"h200", of_gpu("NVIDIA H200", "580.95.05")}};
    const auto real = normal_for(of_gpu("NVIDIA H200", "580.95.05", 2), kept);
    EXPECT_EQ(real.files, Files{"h200"});
    EXPECT_EQ(real.machine, "NVIDIA H200, driver 580.95.05 (CUDA 12.8)");
    EXPECT_EQ(normal_for(simulated, kept).files, Files{"simulated"});
    const auto unknown = normal_for(of_gpu("NVIDIA B200", "580.95.05"), kept);
    EXPECT_EQ(unknown.files, Files{});
    EXPECT_EQ(unknown.machine, "NVIDIA B200");
}

TEST(Normal, IsTheSameDriverOrElseTheNewest) {
    const std::vector<KeptRecording> kept{{"first", of_gpu("NVIDIA H200", "570.86.15", 1)},
                                          {"second", of_gpu("NVIDIA H200", "570.86.15", 2)},
                                          {"newest", of_gpu("NVIDIA H200", "580.95.05", 3)}};
    EXPECT_EQ(normal_for(of_gpu("NVIDIA H200", "570.86.15", 4), kept).files, (Files{"first", "second"}));
    EXPECT_EQ(normal_for(of_gpu("NVIDIA H200", "590.44.01", 4), kept).files, Files{"newest"});
}

TEST(Normal, IsNotMixedFromGpusWithoutCounterpart) {
    auto other = of_gpu("NVIDIA H200", "580.95.05", 2);
    other.gpus.front().uuid = "GPU-b";
    auto third = of_gpu("NVIDIA H200", "580.95.05", 3);
    third.gpus.front().uuid = "GPU-c";
    const std::vector<KeptRecording> kept{{"a", of_gpu("NVIDIA H200", "580.95.05")}, {"b", other}};
    EXPECT_EQ(normal_for(third, kept).files, Files{"b"});
    auto with_rows = kept;
    with_rows[0].common = {"1", "2"};
    with_rows[1].common = {"1"};
    EXPECT_EQ(normal_for(third, with_rows).files, Files{"a"}) << "the newest would have less to compare";
    EXPECT_EQ(normal_for(of_gpu("NVIDIA H200", "580.95.05", 4), kept).files, Files{"a"});
    with_rows[0].common = {"1"};
    with_rows[1].common = {"1", "2", "3"};
    const auto same = of_gpu("NVIDIA H200", "580.95.05", 4);
    EXPECT_EQ(normal_for(same, with_rows).files, Files{"b"}) << "of the same GPU there is little to compare";
    with_rows[0].common = {"1", "2"};
    EXPECT_EQ(normal_for(same, with_rows).files, Files{"a"});
}

TEST(Normal, WithoutGpuIsTheSameLibTorchAndSystem) {
    const std::vector<KeptRecording> kept{{"2.15 debian", without_gpu("2.15.0", "Debian 12", 1)},
                                          {"2.15 ubuntu", without_gpu("2.15.0", "Ubuntu 24.04", 2)},
                                          {"2.11 debian", without_gpu("2.11.0", "Debian 12", 3)}};
    const auto normal = normal_for(without_gpu("2.15.0", "Debian 12", 9), kept);
    EXPECT_EQ(normal.files, Files{"2.15 debian"});
    EXPECT_EQ(normal.machine, "simulated GPU, LibTorch 2.15.0, Debian 12");
    EXPECT_EQ(normal_for(without_gpu("2.13.0", "Ubuntu 24.04", 9), kept).files, Files{"2.15 ubuntu"});
}

}  // namespace
}  // namespace tocuda
