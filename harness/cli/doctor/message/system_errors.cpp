// tocuda, Apache-2.0.
// nvidia-smi, and the start of the driver as the kernel's log shows it.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto log_of_driver = "sudo dmesg | grep -iE 'nvrm|xid'   (says why)";

// lspci shows a device that no longer answers with all bits set.
bool is_off_the_bus(std::string_view text) {
    return contains(text, "(rev ff)") || contains(text, "fallen off the bus");
}

void read_no_devices(std::string_view text, std::size_t, Explanation& told) {
    if (!is_off_the_bus(text) &&
        contains_any(text, {"QEMU", "qemu", "kvm", "KVM", "Proxmox", "VMware", "ESXi", "assthro"}))
        return tell_of_failed_start(text, 0, told);
    if (!is_off_the_bus(text)) {
        if (tell_of_kind(text, told)) told.remedies.insert(told.remedies.begin(), {log_of_driver, Scope::look});
        return;
    }
    told.error = "GPU lost";
    told.meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.";
    told.certain = true;
    told.arithmetic.emplace_back("lspci shows it with (rev ff): it is off the bus");
    told.remedies = {
        {"sudo dmesg | grep -iE 'xid|pcie|aer'", Scope::look},
        {"power the machine off and on   (a reboot is not always enough; ends every program of it)", Scope::others}};
}

// "NVRM: No NVIDIA graphics adapter found!"
void read_no_adapter(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "adapter found")) return;
    told.arithmetic.emplace_back("the machine may have none: its GPU may be of another maker, as AMD");
    told.remedies = {
        {"lspci -nn | grep -iE 'vga|3d|display'   (is an NVIDIA GPU [10de:...] there at all?)", Scope::look},
        {log_of_driver, Scope::look},
        {"lspci -nnk -d 10de:   (which module has it?)", Scope::look}};
}

// "Unable to determine the device handle for GPU0: 0000:C1:00.0: Unknown Error", and the same of GPU1.
void read_several_lost(std::string_view text, std::size_t at, Explanation& told) {
    if (contains(text, "bbswitch: disabling")) return tell_of_bbswitch(text, at, told);
    if (contains(line_around(text, at), ": Not Found")) {
        told.error = "GPU cannot be started";
        told.meaning = "The module is loaded and could not start this GPU, so NVML does not know it.";
        told.certain = false;
        told.remedies = {
            {log_of_driver, Scope::look},
            {"cat /proc/driver/nvidia/version   (Open Kernel Module? RTX 50 needs it; before Turing it does "
             "not work, and in 515 for data centres only)",
             Scope::look},
            {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)", Scope::machine}};
        tell_of_kind(text, told);
        return;
    }
    constexpr std::string_view needle = "Unable to determine the device handle for";
    if (!text.substr(at).starts_with(needle) || text.find(needle, at + needle.size()) == std::string_view::npos) return;
    told.certain = false;
    told.arithmetic.emplace_back(
        "several GPUs at once: rather what they share, as the driver, a riser, a power supply or a virtual machine; "
        "in WSL, one in TCC mode beside one in WDDM mode");
}

// An external GPU gets the addresses that its port was given when the machine started.
void read_no_addresses(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text, {"hunderbolt", "eGPU", "egpu", "USB4", "Oculink", "OCuLink"})) return;
    told.arithmetic.emplace_back("the text shows an external GPU: its port was given too little room for it");
    told.remedies = {
        {"lspci -v -d 10de:; sudo dmesg | grep -iE 'BAR|no space'", Scope::look},
        "start the machine with the external GPU connected and switched on",
        {"pci=realloc,assign-busses,hpmmioprefsize=16G   (on the kernel's command line, then reboot; undo: remove it)",
         Scope::machine},
        {"firmware: Thunderbolt security off or approved, Above 4G Decoding on   (undo: the old settings)",
         Scope::machine}};
}

// "could not insert 'nvidia': Key was rejected by service": other modules are rejected in the same words.
bool is_of_module_nvidia(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    if (contains(line, "insert") && contains(line, "nvidia")) return true;
    return contains_any(text_near(text, at, 300, 300), {"nvidia", "NVIDIA"});
}

// Whom a group of the device nodes keeps out is not root.
void read_refused(std::string_view text, std::size_t, Explanation& told) {
    if (origin_of(text).is_in("podman") || !contains_any(text, {"sudo nvidia-smi", "root@"})) return;
    told.meaning =
        "root may not open the GPU's device nodes either: it is no matter of groups, but of the rules for devices of a "
        "container (LXC, Docker) or job.";
    told.remedies = {
        {"systemd-detect-virt; ls -l /dev/nvidia*   (lxc, docker: a container)", Scope::look},
        "docker run --gpus all ...   (Docker)",
        {"lxc.cgroup2.devices.allow: c 195:* rwm   (LXC, in its configuration on the host, and such a line for the "
         "major number of nvidia-uvm; systems with cgroup v2 ignore lxc.cgroup.devices; undo: remove it)",
         Scope::machine}};
}

// An engine that looked for nvidia-smi in the container: the image has none, the toolkit puts it in.
bool tell_of_container_without_gpu(std::string_view text, std::size_t at, Explanation& told) {
    const auto origin = origin_of(text);
    if (origin.jetson || !contains(text_near(text, at, 0, 100), "not found in $PATH")) return false;
    if (origin.is_in("podman")) {
        told.meaning =
            "podman started the container without the GPU: it gives one by a device of CDI, and --gpus (before podman "
            "5), --runtime or the variables for Docker alone do nothing there.";
        told.remedies = {{"nvidia-ctk cdi list   (nvidia.com/gpu=all is in it?)", Scope::look},
                         {write_cdi, Scope::machine},
                         "podman run --device nvidia.com/gpu=all IMAGE nvidia-smi"};
        return true;
    }
    told.meaning =
        "The container was started without the GPU: nvidia-smi is not part of the image, NVIDIA's container toolkit "
        "puts it in, with the driver's libraries.";
    const bool asked = contains_any(
        text, {"--gpus", "--runtime=nvidia", "--runtime nvidia", "nvidia-docker run", "capabilities: [gpu"});
    told.remedies = {
        {"nvidia-smi; docker info | grep -i runtimes   (on the host: a driver, and a runtime nvidia?)", Scope::look},
        asked ? "docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ... "
                "  (images that are not of CUDA set neither; utility is "
                "nvidia-smi)"
              : "docker run --gpus all ...   (in a container: install no driver there)"};
    return true;
}

void read_no_nvidia_smi(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_container_without_gpu(text, at, told)) return;
    tell_of_wsl(text, told);
    if (!contains(text, "is not recognized as")) return;
    told.remedies = {
        {"dir C:\\Windows\\System32\\nvidia-smi.exe   (there since driver 430)", Scope::look},
        {"Device Manager, Display adapters   (is there an NVIDIA GPU, and without a warning sign?)", Scope::look},
        {"install NVIDIA's driver for Windows: https://www.nvidia.com/drivers   (undo: Apps, uninstall)",
         Scope::machine}};
}

// "Failed to initialize NVML: ..." is what nvidia-smi prints: to start it again shows nothing new.
void read_nvml(std::string_view text, std::size_t at, Explanation& told) {
    const bool of_nvidia_smi = text.substr(at).starts_with("Failed to initialize NVML");
    if (of_nvidia_smi) {
        told.remedies = {{"tocuda doctor   (on that machine)", Scope::look},
                         {"sudo dmesg | grep -iE 'nvrm|xid' | tail   (what the kernel's module says)", Scope::look}};
        if (contains(line_around(text, at), "NVML: N/A"))
            told.remedies.insert(told.remedies.begin() + 1, {"wsl --update   (if it is WSL: in Windows; and NVIDIA's "
                                                             "current driver for Windows)",
                                                             Scope::machine});
    }
    tell_of_wsl(text, told);
}

bool is_not_allowed_yet(std::string_view text, std::size_t at) {  // not where that is done
    return !contains(text_near(text, at, 0, 32), "UnsupportedGpus=1");
}

}  // namespace

Functions system_functions() {
    return {.readings = {{"read_several_lost", read_several_lost},
                         {"read_module_and_library", read_module_and_library},
                         {"tell_of_silent_driver", tell_of_silent_driver},
                         {"read_no_nvidia_smi", read_no_nvidia_smi},
                         {"read_no_addresses", read_no_addresses},
                         {"tell_of_failed_start", tell_of_failed_start},
                         {"tell_of_legacy_branch", tell_of_legacy_branch},
                         {"read_no_devices", read_no_devices},
                         {"read_refused", read_refused},
                         {"read_nvml", read_nvml},
                         {"read_other_module", read_other_module},
                         {"read_no_adapter", read_no_adapter}},
            .conditions = {{"is_of_module_nvidia", is_of_module_nvidia}, {"is_not_allowed_yet", is_not_allowed_yet}}};
}

}  // namespace tocuda::doctor
