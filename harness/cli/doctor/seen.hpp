// tocuda, Apache-2.0.
// What was seen of a machine, as plain values: files, device nodes, the PCI bus, kernel modules, the surroundings, the
// environment, and the answers of the driver and NVML. Judged by diagnose.hpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/probe_report.hpp"
#include "model/xid.hpp"

namespace tocuda::doctor {

using Variables = std::map<std::string, std::string>;

struct Bridge {
    std::string address;
    std::optional<bool>
        redirects{};  // by its ACS: GPUs below it reach each other by way of the CPU; root alone may know
};

struct PciGpu {
    std::string address;               // "0000:3b:00.0"
    int device = 0;                    // 0x2335; 0: not known
    std::string driver{};              // that the kernel bound to it: "nvidia", "nouveau", "vfio-pci"; empty: none
    std::string power_state{};         // "D0", "D3cold"
    std::vector<int> unplaced_bars{};  // memory windows that got no address
    std::string iommu{};               // how the IOMMU treats it: "DMA-FQ", "identity"; empty: it is off
    std::vector<Bridge> bridges{};     // above it
    std::string name{};                // "GH100 [H100 SXM5 80GB]", as lspci has it from its list of names
};

struct Bus {
    int devices = 0;  // 0: the bus is not shown here
    std::vector<PciGpu> gpus{};
    int switches = 0;  // NVSwitches
};

struct KernelSide {
    std::string release{};                  // "6.8.0-45-generic"
    std::optional<std::string> version{};   // of the loaded NVIDIA module
    std::optional<std::string> flavour{};   // "open", "proprietary"
    std::set<std::string> modules{};        // loaded ones of nvidia and nvidia_uvm
    std::vector<std::string> built_for{};   // kernels that have an NVIDIA module on disk
    std::vector<std::string> sources{};     // versions whose module sources are installed, for DKMS
    std::vector<std::string> blacklists{};  // "/etc/modprobe.d/x.conf: blacklist nvidia"
    bool secure_boot = false;
    bool headers = false;  // of the running kernel
};

// What the kernel's log says about GPUs.
struct KernelLog {
    std::string file{};       // that was read; empty: none can be
    std::string of_driver{};  // the last lines of NVIDIA's modules
    std::vector<Xid> xids{};  // in its order
};

struct DeviceNode {
    std::string path;     // "/dev/nvidia0"
    int error = 0;        // of access() for reading and writing
    std::string group{};  // that owns it
};

struct DriverLibrary {
    std::string path;       // "/usr/lib/x86_64-linux-gnu/libcuda.so.1"
    std::string version{};  // "580.95.05", from the name of the file it leads to
    bool on_path = false;   // the loader searches its folder
};

enum class Container { none, docker, podman, kubernetes, apptainer, lxc, unnamed };

struct Surroundings {
    Container container = Container::none;
    bool wsl = false;
    bool tegra = false;
    bool selinux_enforcing = false;
    bool root = false;
    std::string system{};                     // ID of os-release: "ubuntu"
    std::string like{};                       // ID_LIKE: "rhel fedora"
    std::optional<long> shared_memory_mib{};  // /dev/shm
};

struct Seen {
    Surroundings around{};
    Bus bus{};
    KernelSide kernel{};
    KernelLog log{};
    std::vector<DeviceNode> nodes{};
    std::vector<DriverLibrary> libraries{};  // every libcuda.so.1 that was found
    Variables variables{};
    ProbeReport probe{};
    std::string probe_ended{};  // how, if it did not finish: "still ran at its deadline, ended after 120.00 s"

    bool has_node(std::string_view path) const;
    bool has_gpu_node() const;                                   // /dev/nvidia0 or any other number
    bool simulated() const;                                      // the driver that was asked is one of tocuda's own
    const std::string& variable(const std::string& name) const;  // empty if unset
};

}  // namespace tocuda::doctor
