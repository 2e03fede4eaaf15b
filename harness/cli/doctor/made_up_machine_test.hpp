// tocuda, Apache-2.0.
// For tests: a machine made of files in a temporary folder, and what its driver and NVML would answer.
#pragma once

#include <fmt/core.h>

#include <string>

#include "doctor/diagnose.hpp"
#include "doctor/gather_machine.hpp"
#include "machine/machine_tree_test.hpp"

namespace tocuda::doctor {

inline constexpr auto kernel_release = "6.8.0-45-generic";
inline constexpr int h200 = 0x2335;

class MadeUpMachine {
public:
    MadeUpMachine() {
        tree.write("proc/sys/kernel/osrelease", std::string(kernel_release) + "\n");
        tree.write("etc/os-release", "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n");
        device("0000:00:00.0", 0x8086, 0x0600, 0x29c0);
        probe.finished = true;
        probe.unavailable = {{"gpus",
                              "no driver: libcuda.so.1 cannot be loaded: libcuda.so.1: cannot open shared object file: "
                              "No such file or directory"}};
    }

    void device(const std::string& address, int vendor, int kind, int id) const {
        const auto folder = "sys/bus/pci/devices/" + address;
        tree.write(folder + "/vendor", fmt::format("{:#06x}\n", vendor));
        tree.write(folder + "/class", fmt::format("{:#06x}00\n", kind));
        tree.write(folder + "/device", fmt::format("{:#06x}\n", id));
    }
    std::string gpu(int id, const std::string& bound_to, int number = 0) const {
        const auto address = fmt::format("0000:{:02x}:00.0", 0x3b + number);
        const auto folder = "sys/bus/pci/devices/" + address;
        device(address, 0x10de, 0x0302, id);
        tree.write(folder + "/power_state", "D0\n");
        tree.write(folder + "/resource",
                   "0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\n"
                   "0x0000380000000000 0x0000383fffffffff 0x000000000014220c\n");
        if (!bound_to.empty()) {
            tree.folder("sys/bus/pci/drivers/" + bound_to);
            std::filesystem::create_directory_symlink(tree.root / "sys/bus/pci/drivers" / bound_to,
                                                      tree.root / folder / "driver");
        }
        return folder;
    }
    void module(const std::string& version, const std::string& flavour = "open") const {
        tree.write(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX " +
                (flavour == "open" ? "Open Kernel Module for x86_64  " + version : "x86_64 Kernel Module  " + version) +
                "  Release Build  (dvs-builder@x)  Tue Sep 23 09:55:41 UTC 2025\n");
        tree.folder("sys/module/nvidia");
        tree.folder("sys/module/nvidia_uvm");
        built_for(kernel_release);
    }
    void built_for(const std::string& release) const {
        tree.write("lib/modules/" + release + "/updates/dkms/nvidia.ko.zst", "");
    }
    void library(const std::string& version, const std::string& folder = "usr/lib/x86_64-linux-gnu") const {
        const auto name = "libcuda.so." + version;
        tree.write(folder + "/" + name, "ELF");
        std::filesystem::create_symlink(name, tree.root / folder / "libcuda.so.1");
    }
    void node(const std::string& name) const { tree.write("dev/" + name, ""); }
    void nodes(int gpus = 1) const {
        for (const char* name : {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"}) node(name);
        for (int i = 0; i < gpus; ++i) node(fmt::format("nvidia{}", i));
    }

    // What a driver says whose cuInit gives this answer.
    void driver_answers(int init, const std::string& library = "/usr/lib/x86_64-linux-gnu/libcuda.so.1") {
        probe = {
            .doing = "asking NVML about the health of the GPUs", .library = library, .init = init, .version = 13000};
        probe.init_text = init == 0 ? "" : "CUDA_ERROR";
        probe.finished = true;
        if (init == 0) probe.devices = 0;
    }
    void nvml_answers(int gpus) {
        probe.nvml_library = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1";
        probe.nvml_driver = "580.95.05";
        probe.nvml_init = 0;
        probe.nvml_devices = gpus;
        for (int i = 0; i < gpus; ++i)
            probe.nvml_gpus.push_back({.index = i,
                                       .pci = fmt::format("00000000:{:02X}:00.0", 0x3b + i),  // CUDA: 3b
                                       .uuid = fmt::format("GPU-{:08x}-0000-4000-8000-000000000000", 0xa0 + i),
                                       .name = "NVIDIA H200",
                                       .compute_mode = 0,
                                       .recovery_action = 0,
                                       .fabric_state = 3,
                                       .fabric_status = 0,
                                       .uncorrected_errors = 0,
                                       .remapping_pending = false,
                                       .remapping_failed = false,
                                       .mig = false,
                                       .persistence = true,
                                       .memory_bytes = std::int64_t{141} << 30,
                                       .memory_free_bytes = std::int64_t{140} << 30});
    }
    void cuda_finds(int gpus, const std::string& name = "NVIDIA H200") {
        probe.devices = gpus;
        for (int i = 0; i < gpus; ++i) {
            probe.gpus.push_back({.index = i,
                                  .uuid = fmt::format("GPU-{:08x}-0000-4000-8000-000000000000", 0xa0 + i),
                                  .name = name,
                                  .compute_capability = "9.0",
                                  .memory_bytes = std::int64_t{140} << 30});
            probe.cuda_gpus.push_back({i, fmt::format("00000000:{:02x}:00.0", 0x3b + i), 0, false});
        }
    }
    // Everything that a server with so many H200 has, and its driver answers.
    void server(int gpus = 1) {
        installed(gpus);
        driver_answers(0);
        nvml_answers(gpus);
        cuda_finds(gpus);
    }
    // The same, but the driver finds none: for faults that it does not explain itself.
    void refusing_server(int init = 100) {
        installed(1);
        driver_answers(init);
    }
    void installed(int gpus) {
        for (int i = 0; i < gpus; ++i) gpu(h200, "nvidia", i);
        module("580.95.05");
        library("580.95.05");
        nodes(gpus);
    }

    Seen seen() const {
        auto all = see_machine(tree.root, variables);
        all.around.root = false;
        all.probe = probe;
        all.probe_ended = probe_ended;
        return all;
    }
    std::vector<Finding> findings() const { return diagnose(seen()); }

    MachineTree tree;
    Variables variables{};
    ProbeReport probe{};
    std::string probe_ended{};
};

inline std::string in_words(const std::vector<Finding>& findings) {
    std::string text;
    for (const auto& one : findings)
        text += fmt::format("{} {}: {} [{}]\n", word(one.state), one.check, one.evidence, one.remedy);
    return text;
}

}  // namespace tocuda::doctor
