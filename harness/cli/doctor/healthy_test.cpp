// tocuda, Apache-2.0.
// Machines whose GPU works get no fault, whatever is unusual about them.
#include <gtest/gtest.h>

#include <algorithm>

#include "doctor/made_up_machine_test.hpp"

namespace tocuda::doctor {
namespace {

void expect_no_fault(const MadeUpMachine& machine) {
    const auto findings = machine.findings();
    EXPECT_EQ(cause_of(findings), nullptr) << in_words(findings);
    EXPECT_TRUE(std::ranges::none_of(findings, [](const Finding& one) { return one.evidence == "not reached"; }))
        << in_words(findings);
    EXPECT_TRUE(std::ranges::any_of(findings, [](const Finding& one) { return one.check == "cuda:0"; }))
        << in_words(findings);
}

bool warns(const MadeUpMachine& machine) {
    return std::ranges::any_of(machine.findings(), [](const Finding& one) { return one.state == State::warning; });
}

TEST(Healthy, ServerOfEight) {
    MadeUpMachine machine;
    machine.server(8);
    expect_no_fault(machine);
    EXPECT_FALSE(warns(machine)) << in_words(machine.findings());
    EXPECT_EQ(gpus_in_words(machine.seen()), "NVIDIA H200 and 7 more (driver 580.95.05, CUDA 13.0)");
}

TEST(Healthy, LaptopWithAnotherGpuAsleep) {
    MadeUpMachine machine;
    machine.gpu(0x2684, "nvidia");
    machine.device("0000:00:02.0", 0x8086, 0x0300, 0x46a6);
    machine.tree.write("sys/bus/pci/devices/0000:3b:00.0/power_state", "D3cold\n");
    machine.module("580.95.05");
    machine.library("580.95.05");
    machine.nodes();
    machine.driver_answers(0);
    machine.nvml_answers(1);
    machine.cuda_finds(1, "NVIDIA GeForce RTX 4090");
    expect_no_fault(machine);
}

TEST(Healthy, Wsl) {
    MadeUpMachine machine;
    machine.tree.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
    machine.node("dxg");
    machine.tree.write("usr/lib/wsl/lib/libcuda.so.1", "ELF");
    machine.driver_answers(0, "/usr/lib/wsl/lib/libcuda.so.1");
    machine.nvml_answers(1);
    machine.cuda_finds(1, "NVIDIA GeForce RTX 4090");
    expect_no_fault(machine);
}

TEST(Healthy, ContainerWithoutNvml) {
    MadeUpMachine machine;
    machine.server();
    machine.tree.write(".dockerenv", "");
    machine.probe.nvml_library.reset();
    machine.probe.nvml_gpus.clear();
    expect_no_fault(machine);
    EXPECT_TRUE(warns(machine)) << "nvidia-smi is missing there";
}

TEST(Healthy, ContainerThatShowsNoBus) {
    MadeUpMachine machine;
    machine.server();
    machine.tree.write("run/.containerenv", "");
    std::filesystem::remove_all(machine.tree.root / "sys");
    expect_no_fault(machine);
}

TEST(Healthy, MigInstance) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.nvml_gpus[0].mig = true;
    machine.probe.nvml_gpus[0].mig_instances = 7;
    machine.probe.gpus[0].uuid = "MIG-aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    expect_no_fault(machine);
}

TEST(Healthy, JetsonWithoutNvmlAndBus) {
    MadeUpMachine machine;
    std::filesystem::remove_all(machine.tree.root / "sys");
    machine.tree.write("etc/nv_tegra_release", "# R36\n");
    machine.node("nvhost-gpu");
    machine.node("nvmap");
    machine.driver_answers(0, "/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1");
    machine.cuda_finds(1, "Orin");
    machine.probe.cuda_gpus[0].integrated = true;
    expect_no_fault(machine);
}

TEST(Healthy, MemorySharedWithTheHostOfWhichNvmlKnowsNothing) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.cuda_gpus[0].integrated = true;
    machine.probe.nvml_gpus[0].memory_bytes.reset();
    machine.probe.nvml_gpus[0].memory_free_bytes.reset();
    expect_no_fault(machine);
    machine.probe.nvml_gpus[0].memory_bytes = std::int64_t{128} << 30;
    machine.probe.nvml_gpus[0].memory_free_bytes = 0;  // the page cache counts as used
    expect_no_fault(machine);
    EXPECT_FALSE(warns(machine)) << in_words(machine.findings());
}

TEST(Healthy, PascalUnderTheProprietaryModule) {
    MadeUpMachine machine;
    machine.server();
    machine.gpu(0x1b06, "nvidia", 1);
    machine.module("580.95.05", "proprietary");
    expect_no_fault(machine);
}

TEST(Healthy, ChosenGpus) {
    MadeUpMachine machine;
    machine.server(2);
    machine.variables["CUDA_VISIBLE_DEVICES"] = "1,GPU-000000a0";
    expect_no_fault(machine);
    EXPECT_FALSE(warns(machine)) << in_words(machine.findings());
}

TEST(Healthy, SimulatedGpuIsCalledSimulated) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.simulated = true;
    expect_no_fault(machine);
    EXPECT_TRUE(gpus_in_words(machine.seen()).starts_with("SIMULATED "));
}

// Notes: the GPU works all the same.

TEST(Noted, UncorrectedErrors) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.nvml_gpus[0].uncorrected_errors = 3;
    machine.probe.nvml_gpus[0].remapping_pending = true;
    expect_no_fault(machine);
    EXPECT_TRUE(warns(machine));
}

TEST(Noted, PersistenceModeThatIsOff) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.nvml_gpus[0].persistence = false;
    expect_no_fault(machine);
    EXPECT_FALSE(warns(machine));
    EXPECT_NE(in_words(machine.findings()).find("ok persistence: it is off"), std::string::npos);
}

TEST(Noted, ExclusiveComputeMode) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.cuda_gpus[0].compute_mode = 3;
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("cuda:0 serves one process at a time"), std::string::npos);
}

TEST(Noted, ConfidentialComputing) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.confidential = true;
    machine.probe.confidential_ready = true;
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("cudaHostRegister answers 801"), std::string::npos);
}

TEST(Noted, MemoryThatOthersHold) {
    MadeUpMachine machine;
    machine.server();
    machine.probe.nvml_gpus[0].memory_free_bytes = std::int64_t{1} << 30;
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("cuda:0 has 1.0 of 141.0 GiB free"), std::string::npos);
}

TEST(Noted, ListThatEndsEarly) {
    MadeUpMachine machine;
    machine.server(2);
    machine.variables["CUDA_VISIBLE_DEVICES"] = "0,2,-1,1";
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("shows its first 1 only: there is no GPU 2"), std::string::npos)
        << in_words(machine.findings());
}

TEST(Noted, SpacesInTheList) {
    MadeUpMachine machine;
    machine.server(2);
    machine.variables["CUDA_VISIBLE_DEVICES"] = "0, 1";
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("export CUDA_VISIBLE_DEVICES=0,1"), std::string::npos);
}

TEST(Noted, OtherOrderThanThatOfNvidiaSmi) {
    MadeUpMachine machine;
    machine.server(2);
    std::swap(machine.probe.cuda_gpus[0].pci, machine.probe.cuda_gpus[1].pci);
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("CUDA_DEVICE_ORDER=PCI_BUS_ID"), std::string::npos);
}

TEST(Noted, SecondDriverOnThePath) {
    MadeUpMachine machine;
    machine.server();
    machine.library("570.10.01", "opt/old");
    machine.variables["LD_LIBRARY_PATH"] = "/opt/old";
    expect_no_fault(machine);
    EXPECT_NE(in_words(machine.findings()).find("/opt/old/libcuda.so.1 (570.10.01)"), std::string::npos)
        << in_words(machine.findings());
}

TEST(Noted, GpuKeptForAVirtualMachineBesideOneThatWorks) {
    MadeUpMachine machine;
    machine.server();
    machine.gpu(0x2684, "vfio-pci", 1);
    expect_no_fault(machine);
    EXPECT_TRUE(warns(machine));
}

}  // namespace
}  // namespace tocuda::doctor
