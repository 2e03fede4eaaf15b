// tocuda, Apache-2.0.
// Which driver a GPU needs, by its age: the branch, and the open or the proprietary module.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "doctor/generation.hpp"
#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

// "GeForce GTX 1050" of "The NVIDIA NVIDIA GeForce GTX 1050 GPU installed in this system is"
std::string name_of_ignored_gpu(std::string_view before) {
    const auto flat = flattened(before);
    const auto end = flat.rfind(" GPU installed in");
    const auto begin = end == std::string::npos ? end : flat.rfind("NVIDIA ", end);
    return begin == std::string::npos ? "this GPU" : flat.substr(begin + 7, end - begin - 7);
}

struct StartCode {
    std::string_view code, meaning;
};

// Of the driver's own codes those that say something to its user.
constexpr auto start_codes =
    std::to_array<StartCode>({{":0xf:", "the GPU is lost from the bus"},
                              {":0x1c:", "too little power"},
                              {":0x45:", "its interrupts do not arrive, as in a virtual machine without MSI"},
                              {":0x47:", "training its memory failed: the board"},
                              {":0x51:", "no memory for it"},
                              {":0x61:", "its video BIOS was rejected"},
                              {":0x62:", "it has to be reset"},
                              {":0x65:", "it did not answer in time"},
                              {":0x72:", "its memory fails: the board"}});

// "10de:1db5" of "(PCI ID: 10de:1db5)", "[10de:2b85]"
Generation generation_in(std::string_view text) {
    for (auto at = text.find("10de:"); at != std::string_view::npos; at = text.find("10de:", at + 1)) {
        const auto id = text.substr(at + 5, 4);
        int device = 0;
        const auto read = std::from_chars(id.data(), id.data() + id.size(), device, 16);
        if (read.ptr == id.data() + 4 && generation_of(device) != Generation::unknown) return generation_of(device);
    }
    constexpr int turing = 75, blackwell = 100;
    const auto capability = capability_of_name(text);
    if (capability && *capability >= blackwell) return Generation::blackwell;
    if (capability && *capability >= turing) return Generation::turing;
    if (!capability || last_branch_for_gpu_in(text) == 0) return Generation::unknown;
    return *capability < 50 ? Generation::kepler : Generation::pascal;
}

std::string install_open(Distribution distribution) {
    switch (distribution) {
        case Distribution::fedora:
            return "sudo dnf install akmod-nvidia && sudo akmods --force --rebuild   (RPM Fusion; the open module; "
                   "then "
                   "reboot)";
        case Distribution::enterprise:
            return "sudo yum install nvidia-open   (from NVIDIA's repository; then reboot; undo: sudo yum remove "
                   "nvidia-open)";
        case Distribution::arch:
            return "sudo pacman -S nvidia-open   (or nvidia-open-dkms; then reboot; undo: sudo pacman -R nvidia-open)";
        case Distribution::suse:
            return "sudo zypper install nvidia-open-driver-G06-signed-kmp-meta   (then reboot)";
        case Distribution::nixos:
            return "hardware.nvidia.open = true;   (in configuration.nix, then: sudo nixos-rebuild switch, and reboot)";
        case Distribution::other:
            return "install the driver with the open module   (by the system's own package or plugin; then reboot)";
        case Distribution::debian:
            break;
    }
    return "sudo apt install nvidia-driver-580-open   (Ubuntu; NVIDIA's repository: nvidia-open; then reboot; undo: "
           "sudo apt remove nvidia-driver-580-open)";
}

}  // namespace

int last_branch_for_gpu_in(std::string_view text) {
    constexpr int kepler = 30, maxwell = 50, turing = 75;
    auto capability = capability_of_name(text);
    if (!capability && contains_any(text, {"tesla-k80", "Tesla K80", "k80", "g2.2xlarge", "g2.8xlarge", "p2.xlarge",
                                           "p2.8xlarge", "p2.16xlarge", "K520"}))
        capability = 37;
    if (!capability || *capability < kepler || *capability >= turing) return 0;
    return *capability < maxwell ? 470 : 580;
}

std::string install_branch(int branch, Distribution distribution) {
    switch (distribution) {
        case Distribution::fedora:
            return fmt::format(
                "sudo dnf install akmod-nvidia-{0}xx   (from RPM Fusion; then wait until `modinfo "
                "nvidia` finds it, and reboot; undo: sudo dnf remove akmod-nvidia-{0}xx)",
                branch);
        case Distribution::enterprise:
            return branch >= 580 ? fmt::format(
                                       "sudo yum install cuda-drivers-{0}   (from NVIDIA's repository; then "
                                       "reboot; undo: sudo yum remove cuda-drivers-{0})",
                                       branch)
                                 : fmt::format(
                                       "sudo dnf module install nvidia-driver:{}-dkms   (RHEL 8, from "
                                       "NVIDIA's repository; then reboot; undo: sudo dnf module remove)",
                                       branch);
        case Distribution::arch:
            return fmt::format(
                "yay -S nvidia-{0}xx-dkms nvidia-{0}xx-utils   (of the AUR; they replace "
                "nvidia-open-dkms; then reboot; undo: sudo pacman -S nvidia-open-dkms)",
                branch);
        case Distribution::suse:
            return fmt::format(
                "sudo zypper install nvidia-driver-G0{}-kmp-default   (branch {}; from NVIDIA's "
                "repository for openSUSE; then reboot)",
                branch >= 580 ? 6 : 5, branch);
        case Distribution::nixos:
            return fmt::format(
                "hardware.nvidia.open = false; hardware.nvidia.package = "
                "config.boot.kernelPackages.nvidiaPackages.legacy_{};   (in "
                "configuration.nix, then: sudo nixos-rebuild switch, and reboot)",
                branch);
        case Distribution::other:
            return fmt::format("install a driver of branch {}   (by the system's own package or plugin; then reboot)",
                               branch);
        case Distribution::debian:
            break;
    }
    return fmt::format(
        "sudo apt install nvidia-driver-{0}   (not its \"-open\"; then reboot; undo: sudo apt remove "
        "nvidia-driver-{0})",
        branch);
}

namespace {

struct Span {
    Generation generation;
    int first, last;
};

// The branches of the driver for each generation; none has the last ones yet.
constexpr int no_last = 999;
constexpr auto spans = std::to_array<Span>({{Generation::kepler, 304, 470},
                                            {Generation::maxwell, 340, 580},
                                            {Generation::pascal, 367, 580},
                                            {Generation::volta, 384, 580},
                                            {Generation::turing, 410, no_last},
                                            {Generation::ampere, 450, no_last},
                                            {Generation::hopper, 520, no_last},
                                            {Generation::ada, 520, no_last},
                                            {Generation::blackwell, 570, no_last}});

// "installed in this system is not supported by the NVIDIA 465.31 driver release"
bool tell_of_release(std::string_view text, std::size_t at, Explanation& told) {
    const auto near = text_near(text, at, 200, 200);
    if (!contains(near, "not supported by the")) return false;
    const auto versions = driver_versions_in(near);
    const auto generation = generation_in(near);
    const auto* const span = std::ranges::find(spans, generation, &Span::generation);
    if (versions.empty() || span == spans.end()) return false;
    const int branch = std::stoi(versions[0]);
    const std::string name(word(generation));
    if (branch > span->last) {
        told.arithmetic.push_back(
            fmt::format("driver {} is newer than the last branch for a {} GPU, {}", versions[0], name, span->last));
        told.remedies = {{install_branch(span->last, origin_of(text).distribution), Scope::machine}};
    } else if (branch < span->first) {
        told.arithmetic.push_back(
            fmt::format("driver {} is older than a {} GPU, which needs {} or newer", versions[0], name, span->first));
        told.remedies = {
            {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)", Scope::machine}};
    } else {
        told.arithmetic.push_back(fmt::format(
            "driver {} knows {} GPUs, and not this one: a virtual GPU (vGPU) needs the guest driver of the host's vGPU "
            "release, a very new board a newer driver",
            versions[0], name));
        told.remedies = {
            {"lspci -nn -d 10de:; nvidia-smi   (the second on the host: does it share the GPU as vGPU?)", Scope::look},
            {"install the guest driver (GRID) of the host's vGPU release   (undo: the one that is there)",
             Scope::machine},
            {"install a newer driver   (where the GPU is no virtual one; undo: the one that is there)",
             Scope::machine}};
    }
    return true;
}

}  // namespace

bool tell_of_kind(std::string_view text, Explanation& told) {
    const auto generation = generation_in(text);
    const auto distribution = origin_of(text).distribution;
    constexpr auto which =
        "cat /proc/driver/nvidia/version; lspci -nnk -d 10de:   (afterwards: Open Kernel Module or not?)";
    if (generation == Generation::unknown) return false;
    if (generation >= Generation::blackwell) {
        told.arithmetic.emplace_back(
            "the text names a GPU of the Blackwell generation, which needs the open module, "
            "and driver 570 or newer");
        told.remedies = {{install_open(distribution), Scope::machine}, {which, Scope::look}};
        return true;
    }
    if (generation >= Generation::turing) return false;
    const int branch = generation == Generation::kepler ? 470 : 580;
    told.arithmetic.push_back(fmt::format(
        "the text names a GPU of the {} generation, which the open module does not drive: the proprietary one does, up "
        "to branch {}",
        generation == Generation::kepler ? "Kepler" : "Maxwell, Pascal or Volta", branch));
    told.remedies = {{install_branch(branch, distribution), Scope::machine}, {which, Scope::look}};
    return true;
}

void read_other_module(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_release(text, at, told)) return;
    if (tell_of_kind(text, told) || !contains(text, "requires")) return;
    told.remedies = {{install_open(origin_of(text).distribution), Scope::machine},
                     {"cat /proc/driver/nvidia/version   (afterwards: Open Kernel Module?)", Scope::look}};
}

void tell_of_legacy_branch(std::string_view text, std::size_t at, Explanation& told) {
    const auto before = text_near(text, at, 8, 0);
    const auto digits = before.find_last_of('.');
    const auto begin = before.find_last_not_of("0123456789", digits == std::string_view::npos ? 0 : digits - 1);
    const auto branch =
        begin == std::string_view::npos ? std::nullopt : number_after(before, before.substr(0, begin + 1));
    if (!branch || *branch < 70 || *branch > 999) return;
    told.arithmetic.push_back(
        fmt::format("{}: its last driver is of branch {}", name_of_ignored_gpu(text_near(text, at, 400, 0)), *branch));
    told.remedies = {{install_branch(static_cast<int>(*branch), origin_of(text).distribution), Scope::machine},
                     {"lspci -nnk -d 10de:; cat /proc/driver/nvidia/version   (afterwards: the module of that branch?)",
                      Scope::look}};
}

void tell_of_failed_start(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view failed = "RmInitAdapter failed! (";
    if (const auto where = text.find(failed, at > 3000 ? at - 3000 : 0); where != std::string_view::npos) {
        const auto codes = text.substr(where + failed.size(), 30);
        for (const auto& [code, meaning] : start_codes)
            if (contains(codes.substr(0, codes.find(')')), code))
                told.arithmetic.push_back(fmt::format("its code {}: {}", code.substr(1, code.size() - 2), meaning));
    }
    if (contains_any(text, {"VMware", "VMWARE", "ESXi"})) {
        told.meaning =
            "The GPU was passed to a virtual machine of VMware, and the driver could not start it there: its memory "
            "does not fit the machine's addresses, or the machine's settings are incomplete.";
        told.remedies = {
            {"pciPassthru.use64bitMMIO = \"TRUE\" and pciPassthru.64bitMMIOSizeGB = \"128\"   (in the .vmx, with EFI "
             "as "
             "its firmware: twice the memory of all its GPUs, as a power of two; undo: remove them)",
             Scope::machine},
            {"hypervisor.cpuid.v0 = \"FALSE\"   (GeForce with drivers before 465; undo: remove it)", Scope::machine},
            {"reserve all memory of the virtual machine   (its settings, Memory)", Scope::machine}};
    } else if (contains_any(text, {"QEMU", "qemu", "KVM", "kvm", "Proxmox", "proxmox"})) {
        told.remedies = {
            {"lspci -nnk -d 10de:; sudo dmesg | grep -iE 'vfio|reset'   (on the host: vfio-pci, and no error of its "
             "reset?)",
             Scope::look},
            {"cpu: host, machine type q35, OVMF, and the GPU with all its functions as PCIe   (the virtual machine; "
             "undo: the old settings)",
             Scope::machine},
            {"power the host off and on   (where it worked before: the GPU kept a bad state; ends all its machines)",
             Scope::others}};
    } else if (contains_any(text, {"missing NVDEC0 engine", "Open Kernel Module for x86_64  515"})) {
        told.meaning = "The open module of this early driver (515) cannot start this GPU.";
        told.remedies = {
            {"cat /proc/driver/nvidia/version", Scope::look},
            {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)", Scope::machine},
            {"install a newer driver, or the proprietary module of this one   (undo: the old one)", Scope::machine}};
    }
}

}  // namespace tocuda::doctor
