// tocuda, Apache-2.0.
// Machines with one fault of their hardware, driver installation, kernel module or device nodes.
#include "doctor/faulty_test.hpp"

#include <algorithm>
#include <cerrno>

namespace tocuda::doctor {
namespace {

// No driver.

TEST_F(Faulty, NoGpuAndNoDriver) {
    expect("PCI", "no driver: libcuda.so.1 is not found", "use a machine with an NVIDIA GPU");
}

TEST_F(Faulty, NoDriverInstalled) {
    machine.gpu(h200, "");
    expect("libcuda", "no NVIDIA driver: libcuda.so.1 is not found; no kernel module is loaded; no /dev/nvidia*",
           "sudo apt install nvidia-driver-580-server-open nvidia-fabricmanager-580");
    const auto findings = machine.findings();
    EXPECT_TRUE(std::ranges::any_of(findings, [](const Finding& one) {
        return one.check == "cuInit" && one.state == State::unknown && one.evidence == "not reached";
    })) << in_words(findings);
    EXPECT_EQ(what_libtorch_says(machine.seen(), nullptr)->text, "Found no NVIDIA driver on your system");
    EXPECT_EQ(what_libtorch_says(machine.seen(), nullptr, /*built_with_cuda=*/false)->text,
              "Torch not compiled with CUDA enabled");
}

TEST_F(Faulty, NoDriverForAPascalGpu) {
    machine.gpu(0x1b06, "");
    expect("libcuda", "libcuda.so.1 is not found", "apt install nvidia-driver-580");
    EXPECT_EQ(remedy().find("open"), std::string::npos) << remedy();
}

TEST_F(Faulty, RemedyIsThatOfTheDistribution) {
    machine.gpu(0x2684, "");
    machine.tree.write("etc/os-release", "ID=fedora\n");
    expect("libcuda", "libcuda.so.1 is not found", "sudo dnf install nvidia-open");
    machine.tree.write("etc/os-release", "ID=plan9\n");
    expect("libcuda", "libcuda.so.1 is not found", "https://www.nvidia.com/drivers");
}

TEST_F(Faulty, ModuleWithoutItsLibrary) {
    machine.gpu(h200, "nvidia");
    machine.module("580.95.05");
    machine.nodes();
    expect("libcuda", "no NVIDIA driver: libcuda.so.1 is not found", "apt install");
}

TEST_F(Faulty, LibraryThatCannotBeLoaded) {
    machine.installed(1);
    machine.probe.unavailable = {{"gpus", "no driver: libcuda.so.1 cannot be loaded: libcuda.so.1: file too short"}};
    expect("libcuda", "/usr/lib/x86_64-linux-gnu/libcuda.so.1 cannot be loaded: libcuda.so.1: file too short",
           "apt install");
}

TEST_F(Faulty, LibraryOutsideTheLoadersPath) {
    machine.gpu(h200, "nvidia");
    machine.module("580.95.05");
    machine.nodes();
    machine.library("580.95.05", "usr/local/nvidia/lib64");
    expect("libcuda", "the loader does not search its folder", "export LD_LIBRARY_PATH=/usr/local/nvidia/lib64");
}

TEST_F(Faulty, StubOfAToolkit) {
    machine.installed(1);
    machine.driver_answers(34, "/usr/local/cuda/lib64/stubs/libcuda.so.1");
    expect("libcuda", "is a stub of the CUDA toolkit", "grep -v stubs");
}

// Faults that the PCI bus shows.

TEST_F(Faulty, BoundToNouveau) {
    machine.gpu(h200, "nouveau");
    expect("PCI", "bound to nouveau", "blacklist nouveau");
}

TEST_F(Faulty, BoundToVfio) {
    machine.gpu(h200, "vfio-pci");
    machine.module("580.95.05");
    machine.library("580.95.05");
    machine.driver_answers(100);
    expect("PCI", "H200 (10de:2335) at 0000:3b:00.0 is bound to vfio-pci", "driverctl unset-override 0000:3b:00.0");
}

TEST_F(Faulty, AdaGpuIsAnAdaGpu) {
    machine.gpu(0x2782, "nouveau");
    expect("PCI", "an Ada GPU (10de:2782)", "blacklist nouveau");
}

TEST_F(Faulty, BoardsOfServersHaveNames) {
    for (const auto& [id, name] : {std::pair{0x26b5, "L40 (10de:26b5)"}, {0x3182, "B300 (10de:3182)"}}) {
        MadeUpMachine other;
        other.gpu(id, "nouveau");
        EXPECT_NE(in_words(other.findings()).find(name), std::string::npos) << in_words(other.findings());
    }
}

TEST_F(Faulty, SwitchedOff) {
    machine.refusing_server();
    machine.tree.write("sys/bus/pci/devices/0000:3b:00.0/power_state", "D3cold\n");
    expect("PCI", "D3cold", "power/control");
}

TEST_F(Faulty, NoAddressForItsMemory) {
    machine.refusing_server();
    machine.tree.write("sys/bus/pci/devices/0000:3b:00.0/resource",
                       "0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\n"
                       "0x0000000000000000 0x0000000000000000 0x000000000014220c\n");
    expect("PCI", "no address for its memory window 1", "Above 4G Decoding");
}

TEST_F(Faulty, DriverFindsNoneWhereNoneIs) {
    machine.library("580.95.05");
    machine.driver_answers(100);
    expect("PCI", "no NVIDIA GPU among the 1 devices on the PCI bus; cuInit answers 100",
           "pass one through on its host");
}

// Faults of the kernel module.

TEST_F(Faulty, BlacklistedByPrime) {
    machine.gpu(0x2684, "");
    machine.built_for(kernel_release);
    machine.library("580.95.05");
    machine.driver_answers(100);
    machine.tree.write("usr/lib/modprobe.d/blacklist-nvidia.conf", "# prime\nblacklist nvidia\n");
    expect("kernel module", "/usr/lib/modprobe.d/blacklist-nvidia.conf: blacklist nvidia", "prime-select nvidia");
}

TEST_F(Faulty, BuiltForAnotherKernel) {
    machine.gpu(h200, "");
    machine.library("580.95.05");
    machine.driver_answers(100);
    machine.built_for("6.8.0-40-generic");
    expect("kernel module", "built for kernel 6.8.0-40-generic, but 6.8.0-45-generic is running",
           "sudo apt install linux-headers-$(uname -r) && sudo dkms autoinstall");
}

TEST_F(Faulty, NeverBuiltByDkms) {
    machine.gpu(h200, "");
    machine.library("580.95.05");
    machine.driver_answers(100);
    machine.tree.write("usr/src/nvidia-580.95.05/dkms.conf", "");
    expect("kernel module", "580.95.05 was not built", "dkms autoinstall");
}

TEST_F(Faulty, RefusedBySecureBoot) {
    machine.gpu(h200, "");
    machine.library("580.95.05");
    machine.driver_answers(100);
    machine.built_for(kernel_release);
    machine.tree.write("sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                       std::string("\x06\0\0\0\x01", 5));
    expect("kernel module", "Secure Boot", "mokutil --import");
}

TEST_F(Faulty, NotLoaded) {
    machine.gpu(h200, "");
    machine.library("580.95.05");
    machine.driver_answers(100);
    machine.built_for(kernel_release);
    expect("kernel module", "on disk but not loaded", "sudo modprobe nvidia && sudo nvidia-modprobe");
}

TEST_F(Faulty, LibraryWithoutAModule) {
    machine.gpu(h200, "");
    machine.library("580.95.05");
    machine.driver_answers(100);
    expect("kernel module", "is installed, but no kernel module", "apt install");
}

TEST_F(Faulty, BranchThatNoLongerKnowsVolta) {
    machine.gpu(0x1db6, "");
    machine.module("590.48.01", "proprietary");
    machine.library("590.48.01");
    machine.nodes();
    machine.driver_answers(100);
    expect("kernel module", "driver 590.48.01 no longer supports the Volta GPU", "apt install nvidia-driver-580");
    EXPECT_EQ(remedy().find("open"), std::string::npos) << remedy();
}

TEST(FaultyModule, BranchThatNoLongerKnowsOlderGpus) {
    for (const auto& [gpu, generation] : {std::pair{0x1340, "Maxwell"}, std::pair{0x1b06, "Pascal"}}) {
        MadeUpMachine machine;
        machine.gpu(gpu, "");
        machine.module("595.10.02", "proprietary");
        machine.nodes();
        machine.driver_answers(100);
        const auto findings = machine.findings();
        const auto* cause = cause_of(findings);
        ASSERT_NE(cause, nullptr) << generation;
        EXPECT_EQ(cause->check, "kernel module") << in_words(findings);
        EXPECT_NE(cause->evidence.find(std::string("no longer supports the ") + generation), std::string::npos)
            << in_words(findings);
    }
}

TEST_F(Faulty, PascalUnderTheOpenModule) {
    machine.gpu(0x1b06, "");
    machine.module("580.95.05");
    machine.nodes();
    machine.driver_answers(100);
    expect("kernel module", "the open module 580.95.05 does not support the Pascal GPU",
           "apt install nvidia-driver-580");
    EXPECT_EQ(remedy().find("open"), std::string::npos) << remedy();
}

TEST_F(Faulty, BlackwellUnderTheProprietaryModule) {
    machine.gpu(0x2b85, "");
    machine.module("580.95.05", "proprietary");
    machine.nodes();
    machine.driver_answers(100);
    expect("kernel module", "the proprietary module 580.95.05 does not support the Blackwell GPU", "-open");
}

// Device nodes.

TEST_F(Faulty, NoNodes) {
    machine.refusing_server();
    std::filesystem::remove_all(machine.tree.root / "dev");
    expect("device nodes", "there is no /dev/nvidia*", "sudo nvidia-modprobe -c 0 -u");
}

TEST_F(Faulty, NoUvmNode) {
    machine.refusing_server(999);
    for (const char* name : {"nvidia-uvm", "nvidia-uvm-tools"})
        std::filesystem::remove(machine.tree.root / "dev" / name);
    std::filesystem::remove_all(machine.tree.root / "sys/module/nvidia_uvm");
    expect("device nodes", "the module nvidia_uvm is not loaded", "modprobe nvidia_uvm");
}

TEST_F(Faulty, ControlNodeWithoutAGpuNode) {
    machine.refusing_server();
    std::filesystem::remove(machine.tree.root / "dev/nvidia0");
    expect("device nodes", "there is /dev/nvidiactl, but no /dev/nvidia0", "sudo nvidia-modprobe -c 0 -u");
}

TEST_F(Faulty, GpuNodeWithoutTheControlNode) {
    machine.refusing_server();
    std::filesystem::remove(machine.tree.root / "dev/nvidiactl");
    expect("device nodes", "there is no /dev/nvidiactl", "sudo nvidia-modprobe -c 0 -u");
}

TEST_F(Faulty, ControlGroupThatRefusesTheDevice) {
    machine.refusing_server();
    machine.probe.nodes = {{0, "/dev/nvidia0", EPERM}};
    expect("device nodes", "a rule about devices of its control group", "systemctl show --property=DeviceAllow");
}

TEST_F(Faulty, NodeOfAnotherGroup) {
    machine.refusing_server();
    auto seen = machine.seen();
    for (auto& node : seen.nodes)
        if (node.path == "/dev/nvidia0") node = {"/dev/nvidia0", EACCES, "video"};
    const auto findings = diagnose(seen);
    const auto* cause = cause_of(findings);
    ASSERT_NE(cause, nullptr);
    EXPECT_EQ(cause->check, "device nodes");
    EXPECT_NE(cause->remedy.find("usermod -aG video"), std::string::npos) << cause->remedy;
}

TEST_F(Faulty, ContainerThatLostItsDevice) {
    machine.refusing_server();
    machine.tree.write(".dockerenv", "");
    machine.probe.nodes = {{0, "/dev/nvidia0", EPERM}};
    expect("device nodes", "/dev/nvidia0 cannot be opened: Operation not permitted", "docker restart");
}

TEST_F(Faulty, SelinuxInAContainer) {
    machine.refusing_server();
    machine.tree.write("run/.containerenv", "");
    machine.tree.write("sys/fs/selinux/enforce", "1");
    machine.probe.nodes = {{0, "/dev/nvidia0", EACCES}};
    expect("device nodes", "SELinux", "setsebool -P container_use_devices 1");
}

TEST_F(Faulty, SlurmJobWithoutGpu) {
    machine.refusing_server();
    machine.variables["SLURM_JOB_ID"] = "7";
    machine.probe.nodes = {{0, "/dev/nvidia0", EPERM}};
    expect("device nodes", "the Slurm job has no GPU", "srun --gres=gpu:1");
}

}  // namespace
}  // namespace tocuda::doctor
