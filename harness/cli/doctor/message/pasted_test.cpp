// tocuda, Apache-2.0.
#include "doctor/message/pasted.hpp"

#include <gtest/gtest.h>

#include "doctor/made_up_machine_test.hpp"

namespace tocuda::doctor {
namespace {

std::string judged(std::string_view text) {
    const auto pasted = judge_pasted(text);
    return pasted ? pasted->tool + "\n" + in_words(pasted->findings) : "nothing";
}

bool has(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

std::string environment_of(const std::string& torch, const std::string& cuda, const std::string& driver,
                           const std::string& gpu) {
    return "Collecting environment information...\nPyTorch version: " + torch +
           "\nIs debug build: False\nCUDA used to build PyTorch: " + cuda +
           "\nROCM used to build PyTorch: N/A\n\nPython version: 3.11.9 (main)\nIs CUDA available: False\n"
           "GPU models and configuration: GPU 0: " +
           gpu + "\nNvidia driver version: " + driver + "\n";
}

TEST(Pasted, CollectEnvOfACpuBuild) {
    const auto told = judged(environment_of("2.5.1+cpu", "None", "550.54", "NVIDIA A100-SXM4-80GB"));
    EXPECT_TRUE(has(told, "fault torch build: torch 2.5.1+cpu is built for the CPU only")) << told;
}

TEST(Pasted, CollectEnvWithADriverTooOld) {
    const auto told = judged(environment_of("2.11.0+cu130", "13.0", "535.183.01", "NVIDIA A100-SXM4-80GB"));
    EXPECT_TRUE(has(told, "fault torch CUDA version: torch is built for CUDA 13.0, the driver supports up to 12.2"))
        << told;
}

TEST(Pasted, CollectEnvWithAGpuTooNew) {
    const auto told = judged(environment_of("2.6.0+cu124", "12.4", "570.124.06", "NVIDIA GeForce RTX 5090"));
    EXPECT_TRUE(has(told, "fault torch architectures")) << told;
    EXPECT_FALSE(has(told, "torch libraries")) << "they were not seen: " << told;
}

TEST(Pasted, CollectEnvWithoutADriver) {
    const auto told = judged(environment_of("2.6.0+cu124", "12.4", "Could not collect", "Could not collect"));
    EXPECT_TRUE(has(told, "fault driver: no driver of NVIDIA's and no GPU was found")) << told;
}

TEST(Pasted, CollectEnvWithPackagesOfTwoMajors) {
    const auto told = judged(environment_of("2.6.0+cu124", "12.4", "550.54", "NVIDIA H100") +
                             "[pip3] nvidia-cublas-cu11==11.10.3.66\n[pip3] nvidia-cublas-cu12==12.4.5.8\n");
    EXPECT_TRUE(has(told, "packages of NVIDIA's for CUDA 11 and 12 are in one environment")) << told;
    EXPECT_FALSE(has(told, "fault")) << told;
}

TEST(Pasted, QueryOfNvidiaSmi) {
    const auto told = judged(
        "==============NVSMI LOG==============\nDriver Version : 580.95.05\n\nGPU 00000000:3B:00.0\n"
        "    Product Name                          : NVIDIA H200\n    GPU Recovery Action                   : None\n"
        "GPU 00000000:5E:00.0\n    GPU Recovery Action                   : Reset\n    Remapped Rows\n"
        "        Pending                           : Yes\n");
    EXPECT_TRUE(has(told, "fault GPU health: GPU 1 at 00000000:5E:00.0 asks for a reset")) << told;
    EXPECT_TRUE(has(told, "GPU 1 at 00000000:5E:00.0 replaces a row of its memory")) << told;
    EXPECT_FALSE(has(told, "GPU 0 at")) << told;
}

TEST(Pasted, TableOfNvidiaSmi) {
    const auto told = judged(
        "| NVIDIA-SMI 535.183.01     Driver Version: 535.183.01   CUDA Version: 12.2     |\n"
        "| N/A   31C    P0    70W / 700W |  81000MiB / 81559MiB |      0%      Default |\n");
    EXPECT_TRUE(has(told, "ok driver: 535.183.01, for builds of PyTorch up to CUDA 12.x")) << told;
    EXPECT_TRUE(has(told, "warning GPU memory: 79.10 GiB of 79.65 GiB are in use on one GPU")) << told;
}

TEST(Pasted, ListOfTheBus) {
    EXPECT_TRUE(has(judged("3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)\n"
                           "\tKernel driver in use: nouveau\n"),
                    "fault PCI: H100 (10de:2330) at 3b:00.0 is bound to nouveau"));
    EXPECT_TRUE(has(judged("01:00.0 VGA compatible controller: NVIDIA Corporation AD102 (rev ff)\n"), "rev ff"));
    EXPECT_TRUE(has(judged("00:02.0 VGA compatible controller: Intel Corporation UHD\n"), "no GPU of NVIDIA's"));
    EXPECT_EQ(judged("It rained on Tuesday."), "nothing");
}

}  // namespace
}  // namespace tocuda::doctor
