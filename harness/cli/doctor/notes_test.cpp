// tocuda, Apache-2.0.
// Machines with exactly one thing to note: it is named, and no note is a fault.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "doctor/made_up_machine_test.hpp"

namespace tocuda::doctor {
namespace {

class Note : public testing::Test {
protected:
    explicit Note(int gpus = 1) { machine.server(gpus); }

    // The one finding of this check has this state, and its evidence and remedy contain these words.
    static void expect(const Seen& seen, const std::string& check, State state, const std::string& evidence,
                       const std::string& remedy = "") {
        const auto findings = diagnose(seen);
        EXPECT_EQ(cause_of(findings), nullptr) << in_words(findings);
        ASSERT_EQ(std::ranges::count(findings, check, &Finding::check), 1) << in_words(findings);
        const auto& one = *std::ranges::find(findings, check, &Finding::check);
        EXPECT_EQ(one.state, state) << in_words(findings);
        EXPECT_NE(one.evidence.find(evidence), std::string::npos) << in_words(findings);
        EXPECT_NE(one.remedy.find(remedy), std::string::npos) << in_words(findings);
    }
    void expect(const std::string& check, State state, const std::string& evidence,
                const std::string& remedy = "") const {
        expect(machine.seen(), check, state, evidence, remedy);
    }
    bool says(const std::string& check) const {
        return std::ranges::any_of(machine.findings(), [&](const Finding& one) { return one.check == check; });
    }

    MadeUpMachine machine;
};

class NoteOnTwo : public Note {
protected:
    NoteOnTwo() : Note(2) {}
};

// The kernel's log.

TEST_F(Note, KernelLogThatCannotBeRead) { expect("kernel log", State::unknown, "cannot be read here without root"); }

TEST_F(Note, KernelLogThatRootCannotReadEither) {
    auto seen = machine.seen();
    seen.around.root = true;
    expect(seen, "kernel log", State::unknown, "cannot be read here: Xid errors");
    seen.around.container = Container::docker;
    expect(seen, "kernel log", State::unknown, "cannot be read here, in a container: Xid errors");
}

TEST_F(Note, NothingInTheKernelLog) {
    machine.tree.write("dev/kmsg", "6,1,5,-;Linux version 6.8\n4,2,6,-;NVRM: loading NVIDIA UNIX Open Kernel Module\n");
    EXPECT_FALSE(says("kernel log"));
}

TEST_F(Note, XidsOfPrograms) {
    for (const int number : {13, 31, 43, 45}) {
        machine.tree.write("dev/kmsg", fmt::format("4,900,7,-;NVRM: Xid (PCI:0000:3b:00): {}, pid=77, name=python\n"
                                                   "4,901,8,-;NVRM: Xid (PCI:0000:3b:00): {}, pid=78, name=python\n",
                                                   number, number));
        expect("kernel log", State::ok,
               fmt::format("/dev/kmsg: Xid {} of 0000:3b:00 (2 times): errors of programs", number));
    }
}

TEST_F(Note, XidOfTheGpu) {
    machine.tree.write("dev/kmsg", "4,900,7,-;NVRM: Xid (PCI:0000:3b:00): 63, pid='<unknown>', Row Remapper\n");
    expect("kernel log", State::warning, "Xid 63 of 0000:3b:00, from the GPU", "sudo dmesg | grep -i xid");
}

TEST_F(Note, XidInAJournal) {
    constexpr char journal[] = "LPKSHHRH\0\1MESSAGE=NVRM: Xid (PCI:0000:3b:00): 94, pid=5\0\0";
    machine.tree.write("var/log/journal/4f1e/system.journal", std::string(journal, sizeof journal));
    expect("kernel log", State::warning, "/var/log/journal/4f1e/system.journal: Xid 94 of 0000:3b:00");
}

TEST_F(Note, XidBesideAFault) {
    machine.driver_answers(999);
    machine.tree.write("dev/kmsg", "4,900,7,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=0, GPU has fallen off the bus.\n");
    const auto findings = machine.findings();
    ASSERT_NE(cause_of(findings), nullptr);
    EXPECT_EQ(cause_of(findings)->check, "cuInit");
    EXPECT_TRUE(says("kernel log")) << in_words(findings);
}

TEST_F(Note, HalfAMessageInTheKernelLog) {
    for (const char* text :
         {"NVRM: Xid (PCI:", "NVRM: Xid (PCI:0000:3b:00): ", "NVRM: Xid (PCI:0000:3b:00): many, x"}) {
        machine.tree.write("dev/kmsg", text);
        EXPECT_FALSE(says("kernel log")) << text;
    }
}

// What NVML reports.

TEST_F(NoteOnTwo, GpuOnTheBusThatTheDriverDidNotStart) {
    machine.gpu(h200, "nvidia", 2);
    const auto findings = machine.findings();
    EXPECT_NE(
        in_words(findings).find("warning PCI: 3 GPUs are on the bus, 2 in the driver: it did not start 0000:3d:00.0"),
        std::string::npos)
        << in_words(findings);
    machine.tree.write(".dockerenv", "");
    EXPECT_EQ(in_words(machine.findings()).find("did not start"), std::string::npos) << "a container is given some";
}

TEST_F(Note, GpuThatIsTooHot) {
    machine.probe.nvml_gpus[0].clock_reasons = 0x40 | 0x4;
    expect("GPU health", State::warning, "it is too hot", "TEMPERATURE");
    machine.probe.nvml_gpus[0].clock_reasons = 0x80;
    expect("GPU health", State::warning, "power brake");
    machine.probe.nvml_gpus[0].clock_reasons = 0x1 | 0x4;
    expect("GPU health", State::ok, "no GPU that is lost");
}

TEST_F(Note, ChangeOfMigThatIsPending) {
    machine.probe.nvml_gpus[0].mig_pending = true;
    expect("MIG", State::warning, "MIG of GPU 0 will be on after its next reset", "once no program uses it");
    machine.probe.nvml_gpus[0].mig_pending = false;
    EXPECT_FALSE(says("MIG"));
}

TEST_F(Note, XidsThatAskForMostComeFirst) {
    machine.tree.write(
        "dev/kmsg",
        "4,900,7,-;NVRM: Xid (PCI:0000:3b:00): 92, pid=7\n4,901,8,-;NVRM: Xid (PCI:0000:3b:00): 95, pid=8\n");
    expect("kernel log", State::warning, "Xid 95 of 0000:3b:00, Xid 92 of 0000:3b:00", "says of 95: reset the GPU");
}

TEST_F(Note, PendingRemapping) {
    machine.probe.nvml_gpus[0].remapping_pending = true;
    expect("GPU health", State::warning, "will remap a memory row at its next reset", "--gpu-reset -i 0");
}

TEST_F(Note, PowerLimitBelowTheDefault) {
    machine.probe.gpus[0].power_limit_w = 350;
    machine.probe.nvml_gpus[0].power_default_w = 700;
    expect("power limit", State::warning, "cuda:0 is limited to 350 W; its default is 700 W",
           "sudo nvidia-smi -i 0 -pl 700");
    machine.probe.gpus[0].power_limit_w = 700;
    EXPECT_FALSE(says("power limit"));
}

TEST_F(Note, NarrowLinkIsJudgedUnderLoadOnly) {
    machine.probe.gpus[0].pcie = {.generation = 5, .width = 8, .generation_max = 5, .width_max = 16};
    expect("PCIe link", State::ok, "cuda:0 runs at PCIe 5 x8 of 5 x16: idle, not judged");
    machine.probe.nvml_gpus[0].busy_percent = 0;
    expect("PCIe link", State::ok, "idle, not judged");
    machine.probe.nvml_gpus[0].busy_percent = 60;
    expect("PCIe link", State::warning, "cuda:0 runs at PCIe 5 x8 of 5 x16 under load", "GPU Link Info");
}

TEST_F(Note, SlowLink) {
    machine.probe.gpus[0].pcie = {.generation = 3, .width = 16, .generation_max = 5, .width_max = 16};
    machine.probe.nvml_gpus[0].busy_percent = 60;
    expect("PCIe link", State::warning, "PCIe 3 x16 of 5 x16 under load");
    machine.probe.gpus[0].pcie.generation = 5;
    EXPECT_FALSE(says("PCIe link"));
}

TEST_F(NoteOnTwo, IdleLinksAreOneLine) {
    for (auto& gpu : machine.probe.gpus)
        gpu.pcie = {.generation = 1, .width = 16, .generation_max = 5, .width_max = 16};
    expect("PCIe link", State::ok, "cuda:0 runs at PCIe 1 x16 of 5 x16, and 1 more");
}

// The bus and the host's memory.

TEST_F(Note, IommuWithOneGpu) {
    machine.tree.write("sys/bus/pci/devices/0000:3b:00.0/iommu_group/type", "DMA-FQ\n");
    expect("IOMMU", State::ok, "it translates the addresses of one GPU (DMA-FQ)");
    machine.tree.write("sys/bus/pci/devices/0000:3b:00.0/iommu_group/type", "identity\n");
    EXPECT_FALSE(says("IOMMU"));
}

TEST_F(NoteOnTwo, IommuBetweenTwoGpus) {
    for (const char* gpu : {"0000:3b:00.0", "0000:3c:00.0"})
        machine.tree.write(fmt::format("sys/bus/pci/devices/{}/iommu_group/type", gpu), "DMA\n");
    expect("IOMMU", State::warning, "of 2 GPUs (DMA)", "tocuda doctor --deep");
}

TEST_F(Note, LittleSharedMemory) {
    auto seen = machine.seen();
    seen.around.shared_memory_mib = 64;
    expect(seen, "shared memory", State::warning, "/dev/shm has 64 MiB", "sudo mount -o remount");
    seen.around.container = Container::docker;
    expect(seen, "shared memory", State::warning, "/dev/shm has 64 MiB", "docker run --ipc=host");
}

// Nodes that share NVLink.

class NoteOnSeveralNodes : public Note {
protected:
    NoteOnSeveralNodes() { machine.probe.nvml_gpus[0].fabric_cluster = "d3c0de00-0000-4000-8000-000000000001"; }
};

TEST_F(NoteOnSeveralNodes, NoImexChannel) {
    expect("IMEX", State::warning, "there is no /dev/nvidia-caps-imex-channels/channelN: GPU 0 shares NVLink",
           "NVreg_CreateImexChannel0=1");
    machine.tree.write(".dockerenv", "");
    expect("IMEX", State::warning, "so CUDA cannot map their memory (its errors are 800 and 101)",
           "NVIDIA_IMEX_CHANNELS=0");
}

TEST_F(NoteOnSeveralNodes, ImexChannelOfAnotherUser) {
    machine.node("nvidia-caps-imex-channels/channel0");
    auto seen = machine.seen();
    std::ranges::find(seen.nodes, "/dev/nvidia-caps-imex-channels/channel0", &DeviceNode::path)->error = EACCES;
    expect(seen, "IMEX", State::warning, "/dev/nvidia-caps-imex-channels/channel0 may not be opened by this user",
           "sudo chmod 666 /dev/nvidia-caps-imex-channels/channel0");
}

TEST_F(NoteOnSeveralNodes, ImexChannelThatCanBeOpened) {
    machine.node("nvidia-caps-imex-channels/channel0");
    expect("IMEX", State::ok, "can be opened");
}

TEST_F(Note, OneNodeNeedsNoImex) { EXPECT_FALSE(says("IMEX")); }

}  // namespace
}  // namespace tocuda::doctor
