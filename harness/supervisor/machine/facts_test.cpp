// tocuda, Apache-2.0.
// Facts of machines made of files: they are read, and missing ones are reported with a cause.
#include "machine/facts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "machine/causes_test.hpp"
#include "machine/machine_tree_test.hpp"

namespace tocuda {
namespace {

// Returns a kernel thread's line in /proc/PID/stat. The name may contain spaces and parentheses.
std::string stat_of(int process, const std::string& name, std::int64_t ticks) {
    return std::to_string(process) + " (" + name + ") S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 " +
           std::to_string(ticks) + " 0 0 18446744073709551615\n";
}

struct Whole : testing::Test {
    Whole() {
        tree.write("proc/sys/kernel/hostname", "box-7\n");
        tree.write("proc/sys/kernel/osrelease", "6.1.0-29-amd64\n");
        tree.write("proc/sys/kernel/random/boot_id", "0f0e5b3c-0000-4000-8000-000000000001\n");
        tree.write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
        tree.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: A Fine CPU @ 2.10GHz\nflags\t\t: fpu\n");
        for (const char* node : {"node0", "node1", "node10", "nodes_online"})
            tree.folder(std::string("sys/devices/system/node/") + node);
        for (const char* cpu : {"cpu0", "cpu11"})
            tree.write(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_governor", "performance\n");
        device("0000:3b:00.0", "0x10de", "0x030200", "DMA-FQ");
        tree.write("var/lib/dpkg/status",
                   "Package: linux-firmware\nStatus: install ok installed\nVersion: 20240318\n\n"
                   "Package: firmware-nvidia-gsp\nStatus: deinstall ok config-files\nVersion: 535\n");
        tree.write("proc/stat", "cpu  1 2 3\nbtime 1700000000\n");
        module(
            "NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@x)  Tue Sep 23 09:55:41 "
            "UTC 2025");
    }
    void module(const std::string& text) {
        tree.write("proc/driver/nvidia/version",
                   "NVRM version: " + text + "\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n");
    }
    void device(const std::string& address, const char* vendor, const char* kind, const std::string& iommu) {
        const auto folder = "sys/bus/pci/devices/" + address;
        tree.write(folder + "/vendor", std::string(vendor) + "\n");
        tree.write(folder + "/class", std::string(kind) + "\n");
        if (!iommu.empty()) tree.write(folder + "/iommu_group/type", iommu + "\n");
    }
    void thread(int process, const std::string& name, std::int64_t ticks, const std::string& command = "") {
        tree.write("proc/" + std::to_string(process) + "/stat", stat_of(process, name, ticks));
        tree.write("proc/" + std::to_string(process) + "/cmdline", command);
    }
    void without(const std::string& file) { std::filesystem::remove_all(tree.root / file); }
    Facts facts() { return read_facts(tree.root); }

    MachineTree tree;
};

TEST_F(Whole, ReadsTheMachine) {
    EXPECT_EQ(facts().machine, (Machine{.host = "box-7",
                                        .os = "Debian GNU/Linux 12 (bookworm)",
                                        .kernel = "6.1.0-29-amd64",
                                        .cpu = "A Fine CPU @ 2.10GHz",
                                        .numa_nodes = 3,
                                        .cpu_governor = "performance",
                                        .iommu = "DMA-FQ",
                                        .linux_firmware = "linux-firmware 20240318"}));
}

TEST_F(Whole, NamesEveryGovernorAndEveryWayOfTheIommu) {
    tree.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
    tree.write("sys/devices/system/cpu/cpufreq/scaling_governor", "not a CPU\n");
    device("0000:4b:00.0", "0x10de", "0x030000", "");
    device("0000:5b:00.0", "0x8086", "0x030000", "identity");
    device("0000:6b:00.0", "0x10de", "0x068000", "identity");
    EXPECT_EQ(facts().machine.cpu_governor, "performance, powersave");
    EXPECT_EQ(facts().machine.iommu, "DMA-FQ, off");
}

TEST_F(Whole, ReadsTheBoot) { EXPECT_EQ(facts().boot, "0f0e5b3c-0000-4000-8000-000000000001"); }

TEST_F(Whole, RecognizesTheOpenModule) {
    EXPECT_EQ(facts().driver.kernel_module, "580.95.05");
    EXPECT_EQ(facts().driver.flavour, "open");
}

TEST_F(Whole, RecognizesTheProprietaryModule) {
    module("NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023");
    EXPECT_EQ(facts().driver.kernel_module, "535.104.05");
    EXPECT_EQ(facts().driver.flavour, "proprietary");
}

TEST_F(Whole, ReportsAMissingModule) {
    without("proc/driver");
    EXPECT_EQ(facts().driver, Driver{});
    EXPECT_NE(cause_of(facts(), "driver.kernel_module").find("no NVIDIA kernel module is loaded"), std::string::npos);
    EXPECT_EQ(cause_of(facts(), "driver_loaded"), "no NVIDIA kernel module is loaded");
}

TEST_F(Whole, ReportsAGarbledModule) {
    module("");
    EXPECT_EQ(cause_of(facts(), "driver.kernel_module"), "/proc/driver/nvidia/version has no version");
}

TEST_F(Whole, LoadIsTheStartOfTheOldestModuleThread) {
    const auto second = sysconf(_SC_CLK_TCK);
    thread(400, "nv_queue", 50 * second);
    thread(401, "nvidia-modeset/kthread_q", 40 * second);
    thread(2, "kthreadd", 1);
    EXPECT_EQ(facts().driver_loaded, "2023-11-14T22:14:00Z");
    EXPECT_EQ(facts().load_mark, std::to_string(40 * second));
}

TEST_F(Whole, IgnoresUserProcessesWithTheSameName) {
    thread(400, "nv_queue", 5000, "nv_queue");
    EXPECT_EQ(facts().load_mark, "");
    EXPECT_NE(cause_of(facts(), "driver_loaded").find("container"), std::string::npos);
}

TEST_F(Whole, UnknownBootTimeKeepsTheLoadMark) {
    thread(400, "nv_queue", 5000);
    without("proc/stat");
    EXPECT_EQ(facts().load_mark, "5000");
    EXPECT_EQ(cause_of(facts(), "driver_loaded"), "/proc/stat has no boot time");
}

TEST_F(Whole, FindsOsReleaseUnderUsr) {
    without("etc/os-release");
    tree.write("usr/lib/os-release", "PRETTY_NAME='Ubuntu 24.04.1 LTS'\n");
    EXPECT_EQ(facts().machine.os, "Ubuntu 24.04.1 LTS");
}

TEST_F(Whole, ReportsACpuWithoutAModelName) {
    tree.write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
    EXPECT_EQ(cause_of(facts(), "machine.cpu"), "/proc/cpuinfo has no model name");
}

TEST(Facts, ReportsEachMissingFactOnce) {
    const MachineTree empty;
    const auto facts = read_facts(empty.root);
    EXPECT_EQ(facts.machine, Machine{});
    for (const char* field : {"machine.host", "machine.os", "machine.kernel", "machine.cpu", "machine.numa_nodes",
                              "machine.cpu_governor", "machine.iommu", "machine.linux_firmware", "boot",
                              "driver.kernel_module", "driver.flavour", "driver_loaded"}) {
        EXPECT_EQ(std::ranges::count(facts.unavailable, field, &Unavailable::field), 1) << field;
        EXPECT_NE(cause_of(facts, field), "") << field;
    }
    EXPECT_EQ(facts.unavailable.size(), 12u);
}

TEST(Facts, ThisMachineHasABoot) { EXPECT_EQ(read_facts().boot.value_or("").size(), 36u); }

}  // namespace
}  // namespace tocuda
