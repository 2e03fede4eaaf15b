// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include <array>

#include "doctor/made_up_machine_test.hpp"
#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/message.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

std::string judged(std::string_view text, std::string_view error = "") {
    const auto pasted = judge_pasted(text, error);
    return pasted ? pasted->tool + "\n" + in_words(pasted->findings) : "nothing";
}

std::string environment_of(const std::string& torch, const std::string& cuda, const std::string& driver,
                           const std::string& gpu, const std::string& available = "False") {
    return "Collecting environment information...\nPyTorch version: " + torch +
           "\nIs debug build: False\nCUDA used to build PyTorch: " + cuda +
           "\nROCM used to build PyTorch: N/A\n\nPython version: 3.11.9 (main)\nIs CUDA available: " + available +
           "\nGPU models and configuration: " + (gpu == "Could not collect" ? gpu : "GPU 0: " + gpu) +
           "\nNvidia driver version: " + driver + "\n";
}

// The text with something before each line.
std::string prefixed(const std::string& prefix, const std::string& text) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        all += prefix + text.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return all;
}

constexpr auto prefixes = std::to_array<const char*>(
    {"> ", "> > ", "[rank0]: ", "# ", "- ", "trainer-1  | ", "[pod/trainer-0/main] ", "2025-07-28T15:07:12.3753994Z ",
     "2025-07-28 15:07:12,123 INFO stdout: ", "[2025-07-28 15:07:12] ", "    ", "\t"});

TEST(Pasted, CollectEnvOfACpuBuild) {
    const auto told = judged(environment_of("2.5.1+cpu", "None", "550.54", "NVIDIA A100-SXM4-80GB"));
    EXPECT_TRUE(contains(told, "fault torch build: torch 2.5.1+cpu is built for the CPU only")) << told;
    EXPECT_TRUE(contains(told, "--index-url https://download.pytorch.org/whl/cu126")) << told;
}

TEST(Pasted, TellsOfTorchWhereTheGpuIsWell) {
    const std::string head = "| NVIDIA-SMI 538.33   Driver Version: 538.33   CUDA Version: 12.2 |\n";
    const std::string bus = " WDDM | 00000000:02:01.0 On | N/A |\n";
    EXPECT_TRUE(contains(judged("torch.cuda.is_available()\nfalse\n" + head + "| 0 GeForce RTX 3060" + bus),
                         "fault torch: is_available() is False, and the GPU"));
    EXPECT_TRUE(contains(judged(head + "| 0 NVIDIA RTXA6000-48A" + bus), "fault virtual GPU"));
}

TEST(Pasted, DriverThatIsTheLastOfItsGpuIsTooOldForAny) {
    const auto told = judged(environment_of("1.12.1+cu113", "11.3", "342.01", "GeForce 210"));
    EXPECT_TRUE(contains(told, "the driver supports up to 6.5 [install NVIDIA's driver 525 or newer (if there is"))
        << told;
}

TEST(Pasted, CollectEnvOfAnOldCpuBuildAsksForADriverToo) {
    // pytorch#44303
    const auto told = judged(
        "PyTorch version: 1.3.1\nCUDA used to build PyTorch: Could not collect\nPython version: 3.7\nIs CUDA "
        "available: No\nGPU models and configuration: GPU 0: GeForce RTX 2080 Ti\nNvidia driver version: 430.64\n");
    EXPECT_TRUE(contains(told, "built for the CPU only [install NVIDIA's driver 525 or newer, then: uv venv")) << told;
}

TEST(Pasted, CollectEnvOfWindowsIsGivenAnIndex) {
    const auto told = judged(
        "PyTorch version: 2.2.2\nCUDA used to build PyTorch: Could not collect\nOS: Microsoft Windows 11 "
        "Education\nPython platform: Windows-10-10.0.22631-SP0\nIs CUDA available: False\nNvidia driver version: "
        "551.86\n");
    EXPECT_TRUE(contains(told, "fresh\\Scripts\\pip install torch --index-url https://download.pytorch.org/whl/cu126"))
        << told;
}

TEST(Pasted, CollectEnvWithADriverTooOld) {
    const auto told = judged(environment_of("2.11.0+cu130", "13.0", "535.183.01", "NVIDIA A100-SXM4-80GB"));
    EXPECT_TRUE(
        contains(told, "fault torch CUDA version: torch is built for CUDA 13.0, the driver supports up to 12.2"))
        << told;
    EXPECT_TRUE(contains(told, "whl/cu126")) << told;
    EXPECT_FALSE(contains(told, "is_available() is False")) << "the driver explains it: " << told;
}

TEST(Pasted, MinorVersionsOfCudaBefore11AreNotCompatible) {
    // pytorch#43058, #37320: with a colon missing, and wide ones
    EXPECT_TRUE(
        contains(judged("PyTorch version: 1.6.0\nCUDA used to build PyTorch: 10.2\nIs CUDA available: No\nGPU "
                        "models and configuration: \nGPU 0: Tesla V100-PCIE-16GB\nNvidia driver version: 418.67\n"),
                 "fault torch CUDA version: torch is built for CUDA 10.2, the driver supports up to 10.1"));
    const auto told = judged(
        "PyTorch version 1.5.0\nIs debug build: No\nCUDA used to build PyTorch: 10.2\nGPU 0\xef\xbc\x9a Tesla "
        "P100-PCIE-16GB\nNvidia driver version: 410.104\n[pip3] torch==1.5.0\n");
    EXPECT_TRUE(contains(told, "ok read: Tesla P100-PCIE-16GB, driver 410.104, torch 1.5.0")) << told;
    EXPECT_TRUE(contains(told, "fault torch CUDA version")) << told;
    EXPECT_TRUE(
        contains(judged(environment_of("2.6.0+cu124", "12.4", "535.129.03", "NVIDIA A10", "True")),
                 "ok torch CUDA version: torch is built for CUDA 12.4, the driver supports up to 12.2: it works"));
}

TEST(Pasted, CollectEnvWithAGpuTooNew) {
    const auto told = judged(environment_of("2.6.0+cu124", "12.4", "570.124.06", "NVIDIA GeForce RTX 5090", "True"));
    EXPECT_TRUE(contains(told, "fault torch architectures: the official wheel of torch 2.6.0+cu124 has sm_50")) << told;
    EXPECT_TRUE(contains(told, "whl/cu128]")) << told;
    EXPECT_FALSE(contains(told, "torch libraries")) << "they were not seen: " << told;
    EXPECT_TRUE(contains(judged(environment_of("1.13.1+cu117", "11.7", "525.105.17", "NVIDIA H100 PCIe", "True")),
                         "fault torch architectures"));
    EXPECT_TRUE(contains(judged(environment_of("1.11.0+cu113", "11.3", "470.161.03", "Tesla K80", "True")),
                         "ok torch architectures"));
    EXPECT_TRUE(contains(judged(environment_of("2.6.0+cu124", "12.4", "570.124.06", "NVIDIA GeForce RTX 5090")),
                         "fault torch: is_available() is False although"))
        << "that there is no code for it does not explain it";
    EXPECT_FALSE(
        contains(judged(environment_of("2.8.0.dev20250408+cu128", "12.8", "570.124.06", "NVIDIA B200", "True")),
                 "torch architectures"))
        << "what is in a nightly build is not known";
}

TEST(Pasted, CollectEnvWithAGpuTooOld) {
    for (const auto& [torch, cuda, gpu] : {std::array{"2.10.0+cu128", "12.8", "Tesla P100-PCIE-16GB"},
                                           std::array{"2.7.1+cu128", "12.8", "NVIDIA GeForce GTX 1080 Ti"},
                                           std::array{"2.9.0+cu130", "13.0", "Tesla V100-SXM2-16GB"}}) {
        const auto told = judged(environment_of(torch, cuda, "580.105.08", gpu, "True"));
        EXPECT_TRUE(contains(told, "fault torch architectures")) << told;
        EXPECT_TRUE(contains(told, "whl/cu126")) << told;
    }
}

TEST(Pasted, WheelsForOtherSystemsHaveOtherCode) {
    EXPECT_EQ(architectures_of_wheel("2.7.1+cu128", true).size(), 0U) << "it has code for Pascal";
    EXPECT_EQ(architectures_of_wheel("2.6.0+cu126", true).size(), 8U);
    const auto arm = judged(environment_of("2.9.1+cu130", "13.0", "580.65.06", "NVIDIA GH200 480GB", "True") +
                            "OS: Ubuntu 24.04.3 LTS (aarch64)\n");
    EXPECT_FALSE(contains(arm, "torch architectures")) << arm;
}

TEST(Pasted, AWarningTellsWhatABuildHas) {
    const auto told = judged("The current PyTorch install supports CUDA capabilities sm_80 sm_90.\n" +
                             environment_of("2.6.0a0+git1", "12.6", "570.124.04", "NVIDIA GeForce RTX 5090 D", "True"));
    EXPECT_TRUE(contains(told, "fault torch architectures: this build has sm_80 sm_90 and nothing for")) << told;
}

TEST(Pasted, CollectEnvWithoutADriver) {
    const auto told = judged(environment_of("2.6.0+cu124", "12.4", "Could not collect", "Could not collect"));
    EXPECT_TRUE(contains(told, "fault driver: no NVIDIA driver and no GPU found")) << told;
}

TEST(Pasted, KeysThatWereCutAreNotMissing) {
    const auto told = judged(
        "PyTorch version: 1.12.1+cu102\nIs debug build: False\nCUDA used to build PyTorch: 10.2\nROCM used to build "
        "PyTorch: N/");
    EXPECT_TRUE(contains(told, "unknown paste: the driver, the GPUs, is_available() are not in it")) << told;
    EXPECT_FALSE(contains(told, "fault")) << told;
    const auto end = judged(
        "Is CUDA available: True\nCUDA runtime version: 12.4\nGPU models and configuration: GPU 0: NVIDIA H100\nNvidia "
        "driver version: 550.54.15\n");
    EXPECT_TRUE(contains(end, "unknown torch build: torch's version is not in the paste")) << end;
    EXPECT_FALSE(contains(end, "fault")) << end;
}

TEST(Pasted, CollectEnvThatFindsNoCudaWhereAllFits) {
    const auto told = judged(environment_of("2.1.1+cu121", "12.1", "535.129.03", "NVIDIA GeForce RTX 3050 Ti"));
    EXPECT_TRUE(contains(told, "fault torch: is_available() is False although build and driver fit")) << told;
    EXPECT_FALSE(contains(judged(environment_of("2.1.1+cu121", "12.1", "535.129.03", "NVIDIA A10", "N/A")), "fault"));
}

TEST(Pasted, CollectEnvOfOtherPlatforms) {
    const auto rocm = judged(
        "Collecting environment information...   PyTorch version: 2.7.0.dev20250123+rocm6.3\nCUDA used to build "
        "PyTorch: N/A\nROCM used to build PyTorch: 6.3.42131-fa1d09cbd\nIs CUDA available: True\nGPU models and "
        "configuration: AMD Radeon RX 5700 XT (gfx1010:xnack-)\n");
    EXPECT_TRUE(contains(rocm, "ok torch build: torch 2.7.0.dev20250123+rocm6.3 is built for AMD GPUs (ROCm 6.3"))
        << rocm;
    const auto mac = judged(
        "PyTorch version: 1.8.0\nCUDA used to build PyTorch: None\nOS: Mac OSX 11.0 (x86_64)\nIs CUDA available: "
        "False\nNvidia driver version: No CUDA\n");
    EXPECT_TRUE(contains(mac, "fault torch build: this is macOS")) << mac;
    const auto jetson = judged(
        "PyTorch version: 2.0.0a0+ec3941ad.nv23.02\nCUDA used to build PyTorch: 11.4\nPython platform: "
        "Linux-5.10.120-tegra-aarch64-with-glibc2.29\nIs CUDA available: True\nGPU models and configuration: Could not "
        "collect\nNvidia driver version: Could not collect\n");
    EXPECT_FALSE(contains(jetson, "fault")) << jetson;
    const auto orin = judged(
        "Is CUDA available: False\nGPU models and configuration: GPU 0: Orin (nvgpu)\nNvidia driver version: N/A\nHIP "
        "runtime version: N/A\n");
    EXPECT_FALSE(contains(orin, "AMD")) << orin;
    EXPECT_TRUE(contains(judged("PyTorch version: N/A\nCUDA used to build PyTorch: N/A\nPython version: 3.8.10 "
                                "(default)\nIs CUDA available: N/A\n"),
                         "fault torch: the Python that ran collect_env (3.8) has no torch"));
}

TEST(Pasted, TooManyGpusForWsl) {
    // vllm#8255
    std::string gpus;
    for (int i = 0; i < 6; ++i) gpus += "GPU " + std::to_string(i) + ": NVIDIA RTX 4000 Ada Generation\n";
    const auto told = judged(
        "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 2: out of memory\nPyTorch "
        "version: 2.4.0+cu121\nCUDA used to build PyTorch: 12.1\nPython platform: "
        "Linux-5.15.153.1-microsoft-standard-WSL2-x86_64-with-glibc2.35\nIs CUDA available: False\nGPU models and "
        "configuration: \n" +
        gpus);
    EXPECT_TRUE(contains(told, "fault cuInit: cuInit answers 2, out of memory: WSL 2 cannot start so many GPUs (6)"))
        << told;
}

TEST(Pasted, CollectEnvWithPackagesOfTwoMajors) {
    const auto told = judged(environment_of("2.6.0+cu124", "12.4", "550.54", "NVIDIA H100", "True") +
                             "[pip3] nvidia-cublas-cu11==11.10.3.66\n[pip3] nvidia-cublas-cu12==12.4.5.8\n");
    EXPECT_TRUE(contains(told, "NVIDIA packages for CUDA 11 and 12 are in one environment")) << told;
    EXPECT_FALSE(contains(told, "fault")) << told;
}

TEST(Pasted, PrefixesDoNotMatter) {
    const auto environment = environment_of("2.11.0+cu130", "13.0", "535.183.01", "NVIDIA A100-SXM4-80GB");
    const std::string table =
        "| NVIDIA-SMI 525.125.06   Driver Version: 525.125.06   CUDA Version: 12.0     |\n|   0  ERR!                "
        "On   | 00000000:19:00.0 Off |                 ERR! |\n|ERR!  ERR! ERR!    ERR! / ERR! |      0MiB / 46068MiB "
        "|    ERR!      Default |\n";
    const std::string query =
        "==============NVSMI LOG==============\nDriver Version : 580.95.05\nAttached GPUs : 1\nGPU 00000000:3B:00.0\n  "
        "  Remapped Rows\n        Pending           : Yes\n";
    const std::string bus =
        "3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)\n\tKernel driver in use: "
        "nouveau\n";
    for (const auto& text : {environment, table, query, bus})
        for (const auto* const prefix : prefixes)
            EXPECT_EQ(judged(prefixed(prefix, text)), judged(text)) << "'" << prefix << "'";
}

TEST(Pasted, QueryOfNvidiaSmi) {
    const auto told = judged(
        "==============NVSMI LOG==============\nDriver Version : 580.95.05\n\nAttached GPUs : 2\nGPU "
        "00000000:3B:00.0\n    Product Name                          : NVIDIA H200\n    GPU Recovery Action            "
        "       : None\nGPU 00000000:5E:00.0\n    GPU Recovery Action                   : Reset\n    Remapped Rows\n\n "
        "       Pending                           : Yes\n");
    EXPECT_TRUE(contains(told, "fault GPU health: GPU 1 at 00000000:5E:00.0 asks for a reset")) << told;
    EXPECT_TRUE(contains(told, "GPU 1 at 00000000:5E:00.0 will remap a memory row at its next reset")) << told;
    EXPECT_FALSE(contains(told, "GPU 0 at")) << told;
}

TEST(Pasted, QueryReadsModesErrorsAndMemory) {
    const auto told = judged(
        "Attached GPUs : 1\nGPU 00000000:2E:00.0\n    Product Name : NVIDIA RTX A6000\n    MIG Mode\n        Current : "
        "Enabled\n        Pending : Enabled\n    MIG Devices : None\n    FB Memory Usage\n        Total : 49140 MiB\n  "
        "      Used : 48584 MiB\n    BAR1 Memory Usage\n        Total : 256 MiB\n        Used : 9 MiB\n    Compute "
        "Mode : Prohibited\n    ECC Errors\n        Volatile\n            DRAM Uncorrectable : 3\n        Aggregate\n  "
        "          DRAM Uncorrectable : 9\n");
    EXPECT_TRUE(contains(told, "fault MIG: MIG is on for GPU 0, but it has no instances")) << told;
    EXPECT_TRUE(contains(told, "warning GPU memory: GPU 0 at 00000000:2E:00.0 has 47.45 GiB of 47.99 GiB in use"))
        << told;
    EXPECT_TRUE(contains(told, "fault compute mode: GPU 0 at 00000000:2E:00.0 is prohibited")) << told;
    EXPECT_TRUE(contains(told, "has had 3 uncorrected memory errors")) << told;
    EXPECT_FALSE(contains(told, "no fault shown")) << told;
}

TEST(Pasted, QueryThatWasCut) {
    const auto some = judged(
        "NVSMI LOG\nDriver Version : 535.183.01\nAttached GPUs : 8\nGPU 00000000:18:00.0\n    Product Name : NVIDIA "
        "H100 80GB HBM3\n");
    EXPECT_TRUE(contains(some, "no fault shown for the 1 GPU in the paste; 8 are attached")) << some;
    const auto rest = judged(
        "    Remapped Rows\n        Uncorrectable Error : 4\n        Pending : Yes\n        Remapping Failure Occurred "
        ": No\n");
    EXPECT_TRUE(contains(rest, "a GPU will remap a memory row")) << rest;
    EXPECT_FALSE(contains(rest, "-i 0")) << "its number is not in the paste: " << rest;
    const auto lost = judged("NVSMI LOG\nAttached GPUs : 1\nGPU 00000000:18:00.0\n    Product Name : [GPU is lost]\n");
    EXPECT_TRUE(contains(lost, "fault GPU health: GPU 0 at 00000000:18:00.0 is lost")) << lost;
    EXPECT_FALSE(contains(lost, "ok GPU health")) << lost;
}

TEST(Pasted, TableOfNvidiaSmi) {
    const auto told = judged(
        "| NVIDIA-SMI 535.183.01     Driver Version: 535.183.01   CUDA Version: 12.2     |\n|   3  NVIDIA H100 80GB "
        "HBM3    On  | 00000000:3B:00.0 Off |                    7 |\n| N/A   96C    P0    70W / 700W |  81000MiB / "
        "81559MiB |      0%   E. Process |\n");
    EXPECT_TRUE(contains(told, "ok read: NVIDIA H100 80GB HBM3, driver 535.183.01, CUDA 12.2")) << told;
    EXPECT_TRUE(contains(told, "ok driver: 535.183.01 runs PyTorch builds for CUDA 12.x and older")) << told;
    EXPECT_TRUE(contains(told, "warning GPU memory: GPU 3 at 00000000:3B:00.0 has 79.10 GiB of 79.65 GiB in use"))
        << told;
    EXPECT_TRUE(contains(told, "has had 7 uncorrected memory errors")) << told;
    EXPECT_TRUE(contains(told, "is at 96 C")) << told;
    EXPECT_TRUE(contains(told, "warning compute mode: GPU 3 at 00000000:3B:00.0 serves one process at a time")) << told;
}

TEST(Pasted, HeadsOfTables) {
    const auto newest = judged("| NVIDIA-SMI 610.57.04     KMD Version: 610.57.04     CUDA UMD Version: 13.3     |\n");
    EXPECT_TRUE(contains(newest, "ok driver: 610.57.04 runs PyTorch builds for CUDA 13.x and older")) << newest;
    const auto oldest = judged("| NVIDIA-SMI 410.48                 Driver Version: 410.48                    |\n");
    EXPECT_TRUE(contains(oldest, "ok driver: 410.48 runs PyTorch builds for CUDA 10.0 and older")) << oldest;
    const auto none = judged("| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: N/A      |\n");
    EXPECT_TRUE(contains(none, "fault libcuda: nvidia-smi shows CUDA Version N/A")) << none;
    const auto wsl = judged("| NVIDIA-SMI 545.46     Driver Version: 546.80       CUDA Version: ERR!     |\n");
    EXPECT_TRUE(contains(wsl, "wsl --update")) << wsl;
}

TEST(Pasted, ErrorsInTables) {
    const auto gone = judged(
        "|   0  ERR!                On   | 00000000:19:00.0 Off |                 ERR! |\n|ERR!  ERR! ERR!    ERR! / "
        "ERR! |      0MiB / 46068MiB |    ERR!      Default |\n|                               |                      "
        "|                 ERR! |\n");
    EXPECT_TRUE(contains(gone, "fault GPU health: GPU 0 at 00000000:19:00.0 reports ERR!")) << gone;
    EXPECT_EQ(gone.find("fault GPU"), gone.rfind("fault GPU")) << gone;
    const auto power = judged(
        "|   1  Tesla V100-PCIE...  On   | 00008ED0:00:00.0 Off |                    0 |\n| N/A   29C    P0   ERR! / "
        "250W |    593MiB / 16160MiB |      0%      Default |\n");
    EXPECT_TRUE(contains(power, "warning GPU health: GPU 1 at 00008ED0:00:00.0 reports ERR! for its power")) << power;
}

TEST(Pasted, WhoHoldsTheMemory) {
    const std::string table =
        "|   0  Tesla P100-SXM2...  Off  | 00000000:05:00.0 Off |                    0 |\n| N/A   36C    P0    41W / "
        "300W |  12799MiB / 16280MiB |      0%      Default "
        "|\n+-------------------------------+----------------------+----------------------+\n";
    EXPECT_FALSE(contains(judged(table), "GPU memory"));
    const auto told = judged(table +
                             "| Processes:                                  GPU Memory "
                             "|\n|=========================================================|\n+------------------------"
                             "---------------------------------+\n");
    EXPECT_TRUE(
        contains(told, "warning GPU memory: GPU 0 at 00000000:05:00.0 has 12.50 GiB of 15.90 GiB in use and no"))
        << told;
}

TEST(Pasted, InstancesOfMig) {
    const std::string table =
        "|   0  NVIDIA H100 PCIe     Off | 00000000:3D:00.0 Off |                   On |\n| N/A   51C    P0   109W / "
        "350W |                  N/A |     N/A      Default |\n|                               |                      "
        "|              Enabled |\n+-------------------------------+----------------------+----------------------+\n";
    EXPECT_TRUE(
        contains(judged(table), "ok MIG: GPU 0 at 00000000:3D:00.0: MIG is on; its instances are not in the paste"));
    EXPECT_TRUE(contains(judged(table), "CUDA_VISIBLE_DEVICES=MIG-"));
    EXPECT_TRUE(contains(judged(table + "| MIG devices:  |\n|  No MIG devices found  |\n"),
                         "fault MIG: MIG is on for GPU 0, but it has no instances"));
    EXPECT_TRUE(
        contains(judged(table + "| MIG devices:  |\n|  0    1   0   0  |     12MiB / 19968MiB  | 14      0 |\n"),
                 "ok MIG: GPU 0 is divided into 1"));
}

TEST(Pasted, ListOfTheBus) {
    EXPECT_TRUE(contains(judged("3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)\n\tKernel "
                                "driver in use: nouveau\n"),
                         "fault PCI: H100 (10de:2330) at 3b:00.0 is bound to nouveau"));
    const auto gone = judged(
        "01:00.0 VGA compatible controller: NVIDIA Corporation AD102 (rev ff)\n\tKernel driver in use: nvidia\n");
    EXPECT_TRUE(contains(gone, "rev ff")) << gone;
    EXPECT_FALSE(contains(gone, "ok PCI")) << gone;
    EXPECT_TRUE(
        contains(judged("00:02.0 VGA compatible controller: Intel Corporation UHD\n"), "unknown PCI: no NVIDIA GPU"));
    EXPECT_TRUE(contains(
        judged("00:00.0 Host bridge: Intel Corporation Haswell-ULT DRAM Controller\n00:02.0 VGA compatible "
               "controller: Intel Corporation UHD\n02:00.0 Ethernet controller: Realtek Semiconductor RTL8111\n"),
        "fault PCI: no NVIDIA GPU in this list of 3 devices"));
    EXPECT_EQ(judged("It rained on Tuesday."), "nothing");
}

TEST(Pasted, ListOfTheBusWithoutIds) {
    EXPECT_TRUE(contains(judged("04:00.0 3D controller: NVIDIA Corporation GP100GL [Tesla P100 PCIe 12GB] (rev a1)\n"),
                         "ok PCI: GP100GL [Tesla P100 PCIe 12GB] at 04:00.0"));
    EXPECT_TRUE(contains(judged("0008:01:00.0 3D controller: NVIDIA Corporation Device 2941 (rev a1)\n"),
                         "ok PCI: GB200 (10de:2941) at 0008:01:00.0"));
    EXPECT_TRUE(contains(judged("3b:00.0 0302: 10de:2330 (rev a1)\n"), "ok PCI: H100 (10de:2330) at 3b:00.0"));
}

TEST(Pasted, ListOfTheBusWithAGpuThatIsNotReady) {
    const std::string gpu = "3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)\n";
    EXPECT_TRUE(
        contains(judged(gpu + "\tKernel modules: nvidiafb, nouveau, nvidia_drm, nvidia\n"),
                 "has no driver bound to it (Kernel modules: nvidiafb, nouveau, nvidia_drm, nvidia) [sudo modprobe"));
    EXPECT_TRUE(contains(
        judged(gpu + "\tRegion 1: Memory at <unassigned> (64-bit, prefetchable)\n\tKernel driver in use: nvidia\n"),
        "got no address for its memory window 1"));
}

TEST(Pasted, TwoDumpsAreJudgedEach) {
    const auto first = environment_of("2.6.0+cu124", "12.4", "550.54.15", "NVIDIA H100", "True");
    const auto second = environment_of("2.5.1+cpu", "None", "535.54.03", "NVIDIA A100-SXM4-80GB");
    const auto told = judged(first + second);
    EXPECT_TRUE(contains(told, "collect_env number 1 and collect_env number 2\n")) << told;
    EXPECT_TRUE(contains(told, "fault torch build: collect_env number 2: torch 2.5.1+cpu")) << told;
    EXPECT_TRUE(contains(told, "warning paste: the drivers differ: 550.54.15 in collect_env number 1, 535.54.03 in"))
        << told;
    EXPECT_FALSE(contains(judged(first + first), "number 2")) << "the same twice is one";
    const std::string query =
        "NVSMI LOG\nAttached GPUs : 1\nGPU 00000000:07:00.0\n    Remapped Rows\n        Pending : Yes\n";
    const auto queries = judged("NVSMI LOG\nAttached GPUs : 1\nGPU 00000000:3B:00.0\n    Product Name : A10\n" + query);
    EXPECT_TRUE(contains(queries, "--gpu-reset -i 0;")) << queries;
}

TEST(Pasted, AnErrorMayDisagreeWithADump) {
    const auto environment = environment_of("2.6.0+cu124", "12.4", "550.54.15", "NVIDIA H100", "True");
    EXPECT_TRUE(
        contains(judged(environment, "no NVIDIA driver"), "warning paste: the error finds no driver, collect_env"));
    EXPECT_FALSE(contains(judged(environment, "out of memory"), "paste"));
}

TEST(Pasted, PrefixesOfLines) {
    EXPECT_EQ(without_prefixes("[rank0]: > 2025-07-28 15:07:12,123 INFO stdout:     Pending : Yes"), "Pending : Yes");
    EXPECT_EQ(without_prefixes("(LLMEngine pid=2347640, ip=10.58.226.15) Pending : Yes"), "Pending : Yes");
    EXPECT_EQ(without_prefixes("[pip3] torch==2.6.0"), "[pip3] torch==2.6.0");
    EXPECT_EQ(without_prefixes("|   0  NVIDIA H100 |"), "|   0  NVIDIA H100 |");
    EXPECT_EQ(without_prefixes("0000:3b:00.0 3D controller"), "0000:3b:00.0 3D controller");
    EXPECT_EQ(bus_address_in("| 00000000:3B:00.0 Off |"), "00000000:3B:00.0");
    EXPECT_EQ(bus_address_in("Tue 15:07:12.5"), "");
}

TEST(Pasted, BranchesOfTheDriver) {
    EXPECT_EQ(cuda_of_driver("595.95"), 13020);
    EXPECT_EQ(cuda_of_driver("590.44.01"), 13010);
    EXPECT_EQ(cuda_of_driver("580.95.05"), 13000);
    EXPECT_EQ(cuda_of_driver("430.64"), 10010);
    EXPECT_EQ(cuda_of_driver("57"), std::nullopt) << "cut";
}

TEST(Pasted, BuildsForADriverAndItsGpus) {
    EXPECT_EQ(wheel_for(12080, {120}).build, "cu128");
    EXPECT_EQ(wheel_for(12020, {90}).build, "cu126");
    EXPECT_EQ(wheel_for(13000, {90}).build, "cu130");
    EXPECT_EQ(wheel_for(13000, {70, 90}).build, "cu126");
    EXPECT_EQ(wheel_for(11040, {86}).build, "cu118");
    EXPECT_EQ(wheel_for(12020, {120}).driver_needed, 570);
    EXPECT_EQ(wheel_for(13000, {35}).build, "");
}

TEST(Pasted, CollectEnvWithoutADriverNamesTheBuildForCuda) {
    // vllm#4858
    const auto told = judged(
        "PyTorch version: 2.1.2+cu121\nCUDA used to build PyTorch: 12.1\nROCM used to build PyTorch: N/A\nPython "
        "version: 3.10.14\nPython platform: Linux-5.15.0-105-generic-x86_64-with-glibc2.35\nIs CUDA available: "
        "False\nGPU models and configuration: No CUDA\nNvidia driver version: No CUDA\n");
    EXPECT_TRUE(contains(told, "torch 2.1.2+cu121, built for CUDA 12.1")) << told;
    EXPECT_TRUE(contains(told, "fault driver: no NVIDIA driver and no GPU found")) << told;
    EXPECT_FALSE(contains(told, "CPU only")) << told;
}

TEST(Pasted, CollectEnvOfAnIntelBuild) {
    // vllm#39170
    const auto told = judged(
        "PyTorch version              : 2.10.0+xpu\nCUDA used to build PyTorch   : None\nROCM used to build PyTorch   "
        ": N/A\nPython version               : 3.12.3\nIs CUDA available            : False\nGPU models and "
        "configuration : No CUDA\nNvidia driver version        : No CUDA\n");
    EXPECT_TRUE(contains(told, "built for Intel GPUs")) << told;
    EXPECT_FALSE(contains(told, "CPU only")) << told;
}

TEST(Pasted, CollectEnvOfACpuBuildAsksFirstWhetherThereIsAGpu) {
    // pytorch#137846
    const auto told = judged(
        "PyTorch version: 2.8.0.dev20250528+cpu\nCUDA used to build PyTorch: None\nPython version: 3.10.17\nIs CUDA "
        "available: False\nGPU models and configuration: No CUDA\nNvidia driver version: No CUDA\n");
    EXPECT_TRUE(contains(told, "built for the CPU only, and no NVIDIA driver or GPU is seen")) << told;
    EXPECT_TRUE(contains(told, "only if it shows a GPU: ")) << told;
}

TEST(Pasted, CollectEnvBesideATorchThatCannotBeImported) {
    // pytorch#133397
    const auto told = judged(
        "  File \"C:\\Python312\\Lib\\site-packages\\torch\\__init__.py\", line 148, in <module>\nPyTorch version: "
        "N/A\nCUDA used to build PyTorch: N/A\nOS: Microsoft Windows 11 Home\nPython version: 3.12.5\nIs CUDA "
        "available: N/A\nNvidia driver version: Could not collect\n");
    EXPECT_TRUE(contains(told, "has a torch that cannot be imported")) << told;
    EXPECT_FALSE(contains(told, "has no torch")) << told;
}

TEST(Pasted, ADriverTooOldForTheBuildNeedsNoOtherTorch) {
    const auto told = judged(environment_of("2.5.1+cu124", "12.4", "418.40", "Tesla V100-SXM2-16GB"));
    EXPECT_TRUE(contains(told, "install NVIDIA's driver 525 or newer   (this torch runs with it)")) << told;
    EXPECT_FALSE(contains(told, "venv")) << told;
}

TEST(Pasted, AnOldTorchOnAnOldSystemNeedsOnlyADriver) {
    // pytorch#43058: RHEL 7, whose glibc newer wheels do not run with
    const auto told = judged(environment_of("1.6.0", "10.2", "418.67", "Tesla V100-PCIE-16GB"));
    EXPECT_TRUE(contains(told, "install NVIDIA's driver 440 or newer   (this torch runs with it)")) << told;
    const auto ampere = judged(environment_of("1.6.0", "10.2", "418.67", "NVIDIA A100-SXM4-40GB"));
    EXPECT_TRUE(contains(ampere, "venv")) << ampere;
}

TEST(Pasted, NvidiaSmiWithCudaCompat) {
    // faster-whisper#653
    const auto told = judged("NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 12.1\n");
    EXPECT_TRUE(contains(told, "470.57.02 is a driver for CUDA 11.4; the 12.1 beside it is of cuda-compat")) << told;
}

}  // namespace
}  // namespace tocuda::doctor
