// tocuda, Apache-2.0.
#include "doctor/python/install.hpp"

#include <gtest/gtest.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/python/python_tree_test.hpp"

namespace tocuda::doctor {
namespace {

bool starts(const std::string& text, std::string_view words) { return text.starts_with(words); }

TEST(PythonInstall, HealthyEnvironmentHasNoTrouble) {
    const PythonTree tree;
    EXPECT_EQ(tree.trouble(), "");
    const auto seen = tree.see();
    EXPECT_EQ(seen.kind, "venv");
    EXPECT_EQ(seen.version, "3.11");
    EXPECT_EQ(seen.interpreter, "/opt/venv/bin/python3");
    ASSERT_TRUE(seen.torch);
    EXPECT_EQ(seen.torch->folder, tree.torch);
    EXPECT_EQ(seen.torch->version, "2.15.0+cu130");
    EXPECT_EQ(seen.torch->cuda, "13.0");
    EXPECT_EQ(seen.torch->installer, "pip");
    EXPECT_EQ(seen.torch->wheel_tag, "cp311-cp311-manylinux_2_28_x86_64");
    EXPECT_EQ(seen.torch->gpu_architectures,
              (std::vector<std::string>{"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}));
    EXPECT_TRUE(
        contains(tree.judge().at(1).evidence, "torch 2.15.0+cu130, built for CUDA 13.0, sm_75 sm_80 sm_86 sm_90"));
}

TEST(PythonInstall, WithoutKnownGpusNothingIsSaidOfThem) {
    PythonTree tree;
    tree.gpus = {};
    EXPECT_EQ(tree.trouble(), "");
    for (const auto& finding : tree.judge()) EXPECT_NE(finding.check, "torch CUDA version");
}

TEST(PythonInstall, CpuBuildsAreFoundWithTheirOrigin) {
    const PythonTree tree;
    tree.remove(tree.torch + "/lib/libtorch_cuda.so");
    tree.set_version("2.15.0+cpu", "None");
    EXPECT_TRUE(starts(tree.trouble(),
                       "fault torch build: torch 2.15.0+cpu is built for the CPU only: installed from the "
                       "index of CPU builds; uv pip install --python /opt/venv/bin/python3"));
    tree.text(tree.site + "/torch-2.15.0.dist-info/direct_url.json", R"({"url": "file:///wheels/torch.whl"})");
    EXPECT_TRUE(contains(tree.trouble(), "installed from file:///wheels/torch.whl"));
}

TEST(PythonInstall, CpuBuildIsRightWhereThereIsNoGpu) {
    PythonTree tree;
    tree.remove(tree.torch + "/lib/libtorch_cuda.so");
    tree.set_version("2.15.0+cpu", "None");
    tree.gpus = {.none = true};
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonInstall, CommandsAreThoseOfWhatIsInstalled) {
    const PythonTree tree;
    tree.remove(tree.torch + "/lib/libtorch_cuda.so");
    tree.set_version("2.15.0+cpu", "None");
    EXPECT_TRUE(contains(tree.trouble(), "(replaces torch in this environment)")) << tree.trouble();
    tree.remove("/usr/bin/uv");
    EXPECT_TRUE(contains(tree.trouble(), "/opt/venv/bin/python3 -m pip install --force-reinstall torch"))
        << tree.trouble();
}

TEST(PythonInstall, FolderWithoutAVersionIsBroken) {
    const PythonTree tree;
    tree.remove(tree.torch + "/version.py");
    EXPECT_TRUE(starts(tree.trouble(), "fault torch build: " + tree.torch + " has no version")) << tree.trouble();
}

TEST(PythonInstall, FileNamedTorchIsImportedInstead) {
    PythonTree tree;
    tree.environment["PYTHONPATH"] = "/home/me";
    tree.text("/home/me/torch.py", "");
    EXPECT_TRUE(starts(tree.trouble(), "fault torch: /home/me/torch.py is imported instead of PyTorch"))
        << tree.trouble();
}

TEST(PythonInstall, PythonTooOldForTodaysTorch) {
    const PythonTree tree;
    tree.library("/usr/bin/python3.8", {});
    tree.text("/usr/lib/python3.8/site-packages/pip.py", "");
    const auto told = findings(tree.see("/usr/bin/python3.8"), tree.gpus);
    EXPECT_TRUE(contains(told.front().evidence, "too old for a torch of today: 2.4 is the last for it"))
        << told.front().evidence;
}

TEST(PythonInstall, CpuBuildForArmBeforeItsCudaBuilds) {
    const PythonTree tree;
    for (const std::string file :
         {"/usr/bin/python3.11", "/opt/venv/lib/python3.11/site-packages/torch/lib/libtorch_python.so"})
        tree.library(file, {.machine = EM_AARCH64});
    tree.remove(tree.torch + "/lib/libtorch_cuda.so");
    tree.set_version("2.9.1", "None");
    EXPECT_TRUE(contains(tree.trouble(), "for aarch64 the default index has no other before 2.11 (pytorch#160162)"));
    tree.set_version("2.11.0", "None");
    EXPECT_FALSE(contains(tree.trouble(), "160162"));
}

TEST(PythonInstall, CpuBuildThatCondaChose) {
    const PythonTree tree;
    tree.library("/opt/conda/bin/python3.11", {});
    tree.link("python3.11", "/opt/conda/bin/python3");
    const std::string torch = "/opt/conda/lib/python3.11/site-packages/torch";
    tree.text(torch + "/__init__.py", "");
    tree.text(torch + "/version.py", "__version__ = '2.10.0'\ncuda = None\n");
    tree.text("/opt/conda/conda-meta/pytorch-2.10.0-cpu_generic_py311_h1.json",
              R"({"channel": "https://conda.anaconda.org/conda-forge/linux-64", "build": "cpu_generic_py311_h1"})");
    const auto seen = tree.see("/opt/conda");
    EXPECT_EQ(seen.kind, "conda");
    const auto told = findings(seen, {});
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[1].state, State::fault);
    EXPECT_TRUE(contains(told[1].evidence, "conda chose conda-forge cpu_generic_py311_h1"));
    EXPECT_TRUE(starts(told[1].remedy, "CONDA_OVERRIDE_CUDA="));
}

TEST(PythonInstall, CondaForgeKeepsTheLibrariesOfLibTorchInTheEnvironment) {
    const PythonTree tree;
    for (const std::string name : {"libtorch_python.so", "libtorch_cuda.so", "libtorch_global_deps.so"})
        std::filesystem::rename(tree.here(tree.torch + "/lib/" + name), tree.here("/opt/venv/lib/" + name));
    for (const std::string name :
         {"libcudart.so.13", "libcusparse.so.12", "libnvJitLink.so.13", "libcublas.so.13", "libcublasLt.so.13"})
        std::filesystem::rename(tree.here(tree.site + "/nvidia/cu13/lib/" + name), tree.here("/opt/venv/lib/" + name));
    std::filesystem::rename(tree.here(tree.site + "/nvidia/nccl/lib/libnccl.so.2"),
                            tree.here("/opt/venv/lib/libnccl.so.2"));
    tree.library(tree.torch + "/_C.cpython-311-x86_64-linux-gnu.so",
                 {.needed = {"libtorch_python.so"}, .rpath = "$ORIGIN/../../.."});
    EXPECT_EQ(tree.trouble(), "");
    EXPECT_EQ(tree.see().torch->gpu_architectures.size(), 6U);
    tree.remove("/opt/venv/lib/libcublas.so.13");
    EXPECT_TRUE(starts(tree.trouble(), "fault torch libraries: libcublas.so.13")) << tree.trouble();
}

TEST(PythonInstall, BuildForAmdGpus) {
    const PythonTree tree;
    tree.text(tree.torch + "/version.py", "__version__ = '2.15.0+rocm7.1'\ncuda = None\nhip = '7.1.52802'\n");
    EXPECT_TRUE(
        starts(tree.trouble(), "fault torch build: torch 2.15.0+rocm7.1 is built for AMD GPUs (ROCm 7.1.52802)"));
}

TEST(PythonInstall, MissingLibraryOfTorchItself) {
    const PythonTree tree;
    tree.remove(tree.torch + "/lib/libtorch_cuda.so");
    EXPECT_TRUE(starts(tree.trouble(), "fault torch build: "));
    EXPECT_TRUE(contains(tree.trouble(), "/torch/lib/libtorch_cuda.so is missing"));
}

TEST(PythonInstall, ArchitecturesWithoutThisGpu) {
    PythonTree tree;
    tree.gpus.compute_capabilities = std::vector<int>{61};
    EXPECT_TRUE(starts(tree.trouble(),
                       "fault torch architectures: the build has sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 and "
                       "nothing for GPU 0 (6.1): is_available() is True"));
    EXPECT_TRUE(contains(tree.trouble(), "--torch-backend=cu126"));
    tree.gpus.compute_capabilities = std::vector<int>{90, 70};
    EXPECT_TRUE(starts(tree.trouble(), "warning torch architectures: "));
    EXPECT_TRUE(contains(tree.trouble(), "nothing for GPU 1 (7.0)"));
    tree.gpus.compute_capabilities = std::vector<int>{89, 121};
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonInstall, CudaOfTheBuildAgainstTheDrivers) {
    PythonTree tree;
    tree.gpus.driver_cuda = 12080;
    EXPECT_TRUE(starts(tree.trouble(),
                       "fault torch CUDA version: torch is built for CUDA 13.0, the driver supports up to 12.8"));
    tree.set_version("2.15.0+cu132", "'13.2'");
    tree.gpus.driver_cuda = 13000;
    EXPECT_TRUE(starts(tree.trouble(),
                       "warning torch CUDA version: torch is built for CUDA 13.2, the driver supports up to "
                       "13.0: it works"));
    tree.gpus.driver_cuda = 14000;
    EXPECT_EQ(tree.trouble(), "");
}

TEST(PythonInstall, SidesOfSeveralVersions) {
    const PythonTree tree;
    tree.distribution("torch-2.11.0", {});
    EXPECT_TRUE(
        starts(tree.trouble(), "warning torch: torch-2.11.0.dist-info and torch-2.15.0.dist-info lie side by side"));
    tree.remove(tree.site + "/torch-2.15.0.dist-info");
    EXPECT_TRUE(starts(tree.trouble(), "warning torch: the package says 2.11.0, torch/version.py 2.15.0+cu130"));
}

TEST(PythonInstall, AllocatorVariableThatOldVersionsIgnore) {
    PythonTree tree;
    tree.environment["PYTORCH_ALLOC_CONF"] = "expandable_segments:True";
    EXPECT_EQ(tree.trouble(), "");
    tree.set_version("2.9.1+cu130", "'13.0'");
    tree.remove(tree.site + "/torch-2.15.0.dist-info");
    EXPECT_EQ(tree.trouble(),
              "warning allocator variable: torch 2.9.1+cu130 ignores PYTORCH_ALLOC_CONF=expandable_segments:True "
              "(pytorch#183387); export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n");
}

TEST(PythonInstall, FindsPythonOnPathThroughLinks) {
    PythonTree tree;
    tree.environment["PATH"] = "/nowhere:/opt/venv/bin";
    EXPECT_EQ(tree.see("python3").interpreter, "/opt/venv/bin/python3");
    EXPECT_EQ(tree.see("/opt/venv").interpreter, "/opt/venv/bin/python3");
    tree.link("/opt/venv", "/home/me/env");
    EXPECT_TRUE(tree.see("/home/me/env/bin/python3").torch);
}

TEST(PythonInstall, PyenvShimIsFollowed) {
    PythonTree tree;
    tree.library("/home/me/.pyenv/versions/3.11.7/bin/python3.11", {});
    tree.link("python3.11", "/home/me/.pyenv/versions/3.11.7/bin/python3");
    tree.text("/home/me/.pyenv/version", "3.11.7\n");
    tree.text("/home/me/.pyenv/shims/python3", "#!/usr/bin/env bash\nexec pyenv exec python3\n");
    tree.environment["PYTHONPATH"] = tree.site;
    const auto seen = tree.see("/home/me/.pyenv/shims/python3");
    EXPECT_EQ(seen.interpreter, "/home/me/.pyenv/versions/3.11.7/bin/python3");
    EXPECT_EQ(seen.kind, "pyenv");
    EXPECT_TRUE(seen.torch);
}

TEST(PythonInstall, WhatIsNoInterpreterIsUnknown) {
    const PythonTree tree;
    tree.text("/usr/local/bin/python3", "#!/bin/sh\nexec python3.11\n");
    const auto script = findings(tree.see("/usr/local/bin/python3"), {});
    ASSERT_EQ(script.size(), 1U);
    EXPECT_EQ(script[0].state, State::unknown);
    EXPECT_TRUE(contains(script[0].evidence, "is a script"));
    EXPECT_TRUE(contains(findings(tree.see("/opt/none"), {}).at(0).evidence, "/opt/none is not found"));
    EXPECT_TRUE(contains(findings(tree.see("/usr/local"), {}).at(0).evidence, "is a script"));
    EXPECT_TRUE(contains(findings(tree.see("/opt"), {}).at(0).evidence, "/opt holds no bin/python"));
    tree.library("/usr/bin/ls", {});
    tree.text("/usr/bin/random", "noise");
    for (const std::string other : {"/usr/bin/ls", "/usr/bin/random"})
        EXPECT_TRUE(contains(findings(tree.see(other), {}).at(0).evidence, other + " is not a Python interpreter"));
}

TEST(PythonInstall, SearchesWhereTheSystemsPythonDoes) {
    PythonTree tree;
    tree.text("/usr/lib/python3/dist-packages/numpy/__init__.py", "");
    EXPECT_FALSE(tree.see("/usr/bin/python3.11").torch);
    EXPECT_EQ(findings(tree.see("/usr/bin/python3.11"), {}).at(1).state, State::unknown);
    tree.environment["HOME"] = "/home/me";
    tree.text("/home/me/.local/lib/python3.11/site-packages/more.pth", "# a comment\nimport os\n" + tree.site + "\n");
    const auto seen = tree.see("/usr/bin/python3.11");
    EXPECT_EQ(seen.kind, "system");
    tree.link("/usr/bin/python3.11", "/bin/python3");
    EXPECT_EQ(tree.see("/").interpreter, "/bin/python3");
    ASSERT_TRUE(seen.torch);
    EXPECT_EQ(seen.torch->folder, tree.torch);
    tree.environment["PYTHONNOUSERSITE"] = "1";
    EXPECT_FALSE(tree.see("/usr/bin/python3.11").torch);
}

}  // namespace
}  // namespace tocuda::doctor
