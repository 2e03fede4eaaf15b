// tocuda, Apache-2.0.
// Machines with one fault of their container, of what the driver answers, of the environment or of a GPU's health.
#include <algorithm>
#include <cerrno>

#include "doctor/faulty_test.hpp"

namespace tocuda::doctor {
namespace {

// Containers and WSL: never a driver to install.

TEST_F(Faulty, ContainerWithoutNodes) {
    machine.gpu(h200, "nvidia");
    machine.module("580.95.05");
    machine.tree.write(".dockerenv", "");
    expect("container", "although the host's driver 580.95.05 is loaded", "docker run --gpus all");
}

TEST_F(Faulty, PodWithoutAResource) {
    machine.gpu(h200, "nvidia");
    machine.module("580.95.05");
    machine.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    expect("container", "a Kubernetes pod without device nodes", "nvidia.com/gpu: 1");
}

TEST_F(Faulty, ContainerOnAHiddenHost) {
    std::filesystem::remove_all(machine.tree.root / "sys");
    machine.tree.write("run/.containerenv", "");
    expect("container", "a Podman container without device nodes", "podman run --device nvidia.com/gpu=all");
}

TEST_F(Faulty, ContainerWithoutTheComputeCapability) {
    machine.gpu(h200, "nvidia");
    machine.module("580.95.05");
    machine.nodes();
    machine.tree.write(".dockerenv", "");
    machine.variables["NVIDIA_DRIVER_CAPABILITIES"] = "utility";
    expect("container", "NVIDIA_DRIVER_CAPABILITIES=utility lacks compute",
           "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
}

TEST_F(Faulty, WslWithoutItsDevice) {
    machine.tree.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
    expect("WSL", "there is no /dev/dxg", "wsl --update");
}

TEST_F(Faulty, WslWithoutTheWindowsDriver) {
    machine.tree.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
    machine.node("dxg");
    expect("WSL", "the Windows driver is missing or too old", "never a Linux driver");
}

TEST_F(Faulty, WslWhoseLibraryTheLoaderDoesNotSearch) {
    machine.tree.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
    machine.node("dxg");
    machine.tree.write("usr/lib/wsl/lib/libcuda.so.1", "ELF");
    expect("WSL", "the loader does not search its folder", "sudo ldconfig");
}

TEST_F(Faulty, WslHiddenByALinuxDriver) {
    machine.tree.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
    machine.node("dxg");
    machine.tree.write("usr/lib/wsl/lib/libcuda.so.1", "ELF");
    machine.library("580.95.05");
    machine.driver_answers(100);
    expect("WSL", "of a Linux driver, hides that of WSL", "apt purge");
}

TEST_F(Faulty, NoDriverIsInstalledInAContainerOrUnderWsl) {
    for (const bool wsl : {false, true})
        for (const int code : {-1, 0, 3, 34, 46, 100, 101, 304, 800, 802, 803, 804, 805, 999}) {
            MadeUpMachine one;
            one.installed(1);
            if (code >= 0) one.driver_answers(code, wsl ? "/usr/lib/wsl/lib/libcuda.so.1" : "/usr/lib/libcuda.so.1");
            one.tree.write(".dockerenv", "");
            if (wsl) {
                one.tree.write("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
                one.tree.write("usr/lib/wsl/lib/libcuda.so.1", "ELF");
                one.node("dxg");
            }
            const auto findings = one.findings();
            ASSERT_NE(cause_of(findings), nullptr) << code;
            EXPECT_EQ(in_words(findings).find("apt install"), std::string::npos) << in_words(findings);
        }
}

TEST_F(Faulty, KernelsSideOfAContainerIsTheHosts) {
    machine.refusing_server(999);
    machine.tree.write(".dockerenv", "");
    expect("cuInit", "cuInit answers 999", "(on the host)");
}

// cuInit.

TEST_F(Faulty, HangingDriver) {
    machine.installed(1);
    machine.probe = {.doing = "cuInit", .library = "/usr/lib/x86_64-linux-gnu/libcuda.so.1"};
    machine.probe_ended = "still ran at its deadline, ended after 120.00 s";
    expect("cuInit", "the process that asked the driver, while cuInit: still ran at its deadline, ended after 120.00 s",
           "dmesg");
}

TEST_F(Faulty, DriverThatCrashesWhenLoaded) {
    machine.installed(1);
    machine.probe = {.doing = "loading libcuda.so.1"};
    machine.probe_ended = "ended by signal 11 (SIGSEGV) after 0.30 s";
    expect("libcuda", "the process that loads libcuda.so.1: ended by signal 11 (SIGSEGV) after 0.30 s", "dmesg");
}

TEST_F(Faulty, UnknownErrorAfterSuspend) {
    machine.refusing_server(999);
    expect("cuInit", "cuInit answers 999", "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm");
}

TEST_F(Faulty, LibraryAndModuleOfDifferentVersions) {
    machine.refusing_server(803);
    expect("cuInit", "does not belong to the loaded kernel module 580.95.05", "sudo modprobe -r nvidia_uvm");
}

TEST_F(Faulty, UpgradedWithoutReboot) {
    machine.refusing_server(803);
    machine.probe.nvml_init = 18;
    expect("GPU health", "different versions (NVML 18)", "or reboot");
}

TEST_F(Faulty, CompatibilityPackageOlderThanTheDriver) {
    machine.installed(1);
    machine.driver_answers(803, "/usr/local/cuda-13.0/compat/libcuda.so.1");
    expect("cuInit", "of cuda-compat is older", "apt remove 'cuda-compat-*'");
}

TEST_F(Faulty, CompatibilityPackageOnAConsumerCard) {
    machine.installed(1);
    machine.driver_answers(804, "/usr/local/cuda-13.0/compat/libcuda.so.1");
    expect("cuInit", "for data centre GPUs only", "apt remove 'cuda-compat-*'");
}

TEST_F(Faulty, FabricNotReady) {
    machine.refusing_server(802);
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].fabric_state = 2;
    expect("cuInit", "has not joined the NVLink fabric (registration in progress)", "nvidia-fabricmanager");
}

TEST_F(Faulty, ConfidentialComputingNotReady) {
    machine.refusing_server(802);
    machine.nvml_answers(1);
    machine.probe.confidential = true;
    machine.probe.confidential_ready = false;
    expect("cuInit", "confidential computing is on", "nvidia-smi conf-compute -srs 1");
}

TEST(FaultyDriver, EveryOtherAnswer) {
    for (const int code : {3, 46, 101, 304, 800, 805, 100, 12345}) {
        MadeUpMachine one;
        one.refusing_server(code);
        const auto findings = one.findings();
        const auto* cause = cause_of(findings);
        ASSERT_NE(cause, nullptr) << code;
        EXPECT_EQ(cause->check, "cuInit") << in_words(findings);
        EXPECT_NE(cause->evidence.find(fmt::format("cuInit answers {}", code)), std::string::npos) << cause->evidence;
    }
}

// Visibility and MIG.

TEST_F(Faulty, EmptyListOfVisibleDevices) {
    machine.refusing_server();
    machine.variables["CUDA_VISIBLE_DEVICES"] = "";
    expect("CUDA_VISIBLE_DEVICES", "hides every GPU: it is empty", "unset CUDA_VISIBLE_DEVICES");
}

TEST_F(Faulty, VisibleDeviceThatIsNotThere) {
    machine.refusing_server();
    machine.nvml_answers(1);
    machine.variables["CUDA_VISIBLE_DEVICES"] = "3";
    expect("CUDA_VISIBLE_DEVICES", "there is no GPU 3: the only one is 0", "unset CUDA_VISIBLE_DEVICES");
}

TEST_F(Faulty, UuidThatIsNotHere) {
    machine.refusing_server();
    machine.nvml_answers(1);
    machine.variables["CUDA_VISIBLE_DEVICES"] = "GPU-deadbeef";
    expect("CUDA_VISIBLE_DEVICES", "no GPU here has the UUID 'GPU-deadbeef'", "unset CUDA_VISIBLE_DEVICES");
}

TEST_F(Faulty, WordInsteadOfADevice) {
    machine.refusing_server();
    machine.variables["CUDA_VISIBLE_DEVICES"] = "cuda:0";
    expect("CUDA_VISIBLE_DEVICES", "'cuda:0' is neither an index nor a UUID", "unset");
}

TEST_F(Faulty, SlurmHidesAll) {
    machine.refusing_server();
    machine.variables["CUDA_VISIBLE_DEVICES"] = "NoDevFiles";
    machine.variables["SLURM_JOB_ID"] = "7";
    expect("CUDA_VISIBLE_DEVICES", "the Slurm job has no GPU", "srun --gres=gpu:1");
}

TEST_F(Faulty, MigWithoutInstances) {
    machine.refusing_server();
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].mig = true;
    machine.probe.nvml_gpus[0].mig_instances = 0;
    expect("MIG", "MIG is on for GPU 0, but it has no instances", "nvidia-smi mig -i 0 -cgi 0 -C");
}

// Health and use.

TEST_F(Faulty, LostGpu) {
    machine.refusing_server(999);
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].trouble = 15;
    expect("GPU health", "is lost", "dmesg");
}

TEST_F(Faulty, ResetRequired) {
    machine.refusing_server(999);
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].trouble = 16;
    expect("GPU health", "requires a reset", "nvidia-smi --gpu-reset -i 0");
}

TEST_F(Faulty, RecoveryActions) {
    machine.server(2);
    machine.probe.nvml_gpus[1].recovery_action = 1;
    expect("GPU health", "GPU 1 at 00000000:3C:00.0 asks for a reset", "--gpu-reset -i 1");
    machine.probe.nvml_gpus[1].recovery_action = 2;
    expect("GPU health", "asks for a reboot", "reboot");
    machine.probe.nvml_gpus[1].recovery_action = 5;
    expect("GPU health", "asks for a recovery (NVML recovery action 5)", "nvidia-smi -q -i 1");
}

TEST_F(Faulty, OneOfEightHidesNoneOfTheOthers) {
    machine.server(8);
    machine.probe.nvml_gpus[3].recovery_action = 1;
    expect("GPU health", "GPU 3 at 00000000:3E:00.0 asks for a reset", "nvidia-smi --gpu-reset -i 3");
    const auto findings = machine.findings();
    EXPECT_TRUE(cause_of(findings)->of_one_gpu);
    EXPECT_EQ(std::ranges::count(findings, "not reached", &Finding::evidence), 0) << in_words(findings);
    EXPECT_EQ(gpus_in_words(machine.seen()), "7 of 8 GPUs");
    for (auto& gpu : machine.probe.nvml_gpus) gpu.recovery_action = 1;
    EXPECT_FALSE(cause_of(machine.findings())->of_one_gpu);
}

TEST_F(Faulty, KernelLogSaysWhyTheDriverFindsNone) {
    machine.refusing_server(100);
    machine.tree.write("dev/kmsg", "4,1,5,-;NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x22:0x56:884)\n");
    expect("cuInit", "RmInitAdapter failed!", "dmesg");
}

TEST_F(Faulty, BrokenMemoryRow) {
    machine.server();
    machine.probe.nvml_gpus[0].remapping_failed = true;
    expect("GPU health", "row remapping failed", "ROW_REMAPPER");
}

TEST(FaultyDriver, SecondGpuThatIsProhibitedIsNoFault) {
    MadeUpMachine machine;
    machine.server(2);
    machine.probe.cuda_gpus[1].compute_mode = 2;
    const auto findings = machine.findings();
    EXPECT_EQ(cause_of(findings), nullptr) << in_words(findings);
    EXPECT_NE(in_words(findings).find("warning compute mode: cuda:1"), std::string::npos) << in_words(findings);
}

TEST_F(Faulty, ProhibitedComputeMode) {
    machine.server();
    machine.probe.cuda_gpus[0].compute_mode = 2;
    expect("compute mode", "cuda:0 is prohibited for computing", "sudo nvidia-smi -i 0 -c DEFAULT");
    machine.probe.cuda_gpus[0].compute_mode.reset();
    machine.probe.nvml_gpus[0].compute_mode = 2;
    expect("compute mode", "cuda:0 is prohibited for computing", "sudo nvidia-smi -i 0 -c DEFAULT");
}

// One cause hides another: the order is causal.

TEST_F(Faulty, ContainerComesBeforeTheVariableAndTheModule) {
    machine.gpu(h200, "nvidia");
    machine.module("580.95.05");
    machine.tree.write(".dockerenv", "");
    machine.variables["CUDA_VISIBLE_DEVICES"] = "";
    expect("container", "without device nodes", "--gpus all");
}

TEST_F(Faulty, ResetComesBeforeTheAnswerOfCuInit) {
    machine.refusing_server(802);
    machine.nvml_answers(1);
    machine.probe.nvml_gpus[0].recovery_action = 4;
    expect("GPU health", "recovery action 4", "--gpu-reset");
}

TEST(Undecided, WhereTheDriverCouldNotBeAsked) {
    MadeUpMachine machine;
    machine.installed(1);
    machine.probe = {};
    machine.probe_ended = "could not be started";
    const auto findings = machine.findings();
    EXPECT_EQ(cause_of(findings), nullptr) << in_words(findings);
    EXPECT_TRUE(std::ranges::any_of(findings, [](const Finding& one) {
        return one.check == "libcuda" && one.state == State::unknown;
    })) << in_words(findings);
}

}  // namespace
}  // namespace tocuda::doctor
