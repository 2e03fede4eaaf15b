// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 17> xids{{
    {8, "the GPU stopped processing"},
    {13, "a kernel failed, usually a bug of the program"},
    {31, "a kernel accessed memory that is not its own, usually a bug of the program"},
    {43, "a program was stopped after an error of its own; the GPU is healthy"},
    {45, "a program was ended, usually after another Xid"},
    {48, "uncorrectable memory error: the GPU must be reset"},
    {61, "the GPU's microcontroller halted: it must be reset"},
    {62, "the GPU's microcontroller halted: it must be reset"},
    {63, "a memory row was or will be remapped; a reset completes it"},
    {64, "remapping a memory row failed: replace the GPU if it repeats"},
    {74, "an NVLink failed: check links and seating"},
    {79, "the GPU has fallen off the bus: power, heat, seating or the slot"},
    {92, "many corrected memory errors"},
    {94, "uncorrectable memory error, contained: restart the program that had it"},
    {95, "uncorrectable memory error, not contained: the GPU must be reset"},
    {119, "the GPU's system processor does not answer: reset the GPU, or boot again"},
    {154, "the driver says which recovery the GPU needs: nvidia-smi -q shows it"},
}};

void read_xid(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = text.substr(at, 200);
    const auto number = number_after(line, "): ");
    if (!number) return;
    told.figures.push_back({"Xid", *number, ""});
    const auto* const known = std::ranges::find(xids, *number, &std::pair<int, std::string_view>::first);
    if (known != xids.end()) told.arithmetic.push_back(fmt::format("Xid {}: {}", *number, known->second));
    if (const auto place = between(line, "PCI:", ")")) told.arithmetic.push_back(fmt::format("GPU at {}", *place));
}

}  // namespace

std::vector<KnownError> system_errors() {
    return {
        {.name = "Xid error of the GPU",
         .needles = {"NVRM: Xid (PCI:"},
         .meaning = "The kernel module reports an error of the GPU; the number says which.",
         .claims = {"001-08"},
         .remedies = {"nvidia-smi -q | grep -iA3 'recovery\\|remap'",
                      "sudo dmesg | grep -i xid   (the first is the cause)"},
         .read = read_xid},
        {.name = "GPU lost",
         .needles = {"fallen off the bus", "GPU is lost.  Reboot the system",
                     "Unable to determine the device handle for", "cudaErrorDeviceUninitialized"},
         .meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.",
         .claims = {"001-08"},
         .remedies = {"sudo dmesg | grep -iE 'xid|pcie|aer'",
                      "power the machine off and on; a reboot is not always enough",
                      "grep -l 0x10de /sys/bus/pci/devices/*/vendor   (tells if the bus still has it)"}},
        {.name = "NVML: driver and library do not match",
         .needles = {"Driver/library version mismatch"},
         .meaning = "The driver's libraries were upgraded, the loaded kernel module was not.",
         .claims = {"001-08"},
         .remedies = {"sudo reboot",
                      "sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia   (no program "
                      "may use it)",
                      "cat /proc/driver/nvidia/version"}},
        {.name = "nvidia-smi finds no driver",
         .needles = {"couldn't communicate with the NVIDIA driver",
                     "couldn\xe2\x80\x98t communicate with the NVIDIA driver",
                     "couldn\xe2\x80\x99t communicate with the NVIDIA driver",
                     "Failed to initialize NVML: Driver Not Loaded"},
         .meaning =
             "The kernel module nvidia is not loaded: not built for this kernel, blacklisted, or rejected by Secure "
             "Boot.",
         .claims = {"000-02"},
         .remedies = {"sudo modprobe nvidia; sudo dmesg | grep -i nvrm", "dkms status; uname -r",
                      "mokutil --sb-state"}},
        {.name = "GPU lost in a container",
         .needles = {"Failed to initialize NVML: Unknown Error"},
         .meaning =
             "The container lost access to the GPU's device nodes, as systemctl daemon-reload on the host causes.",
         .claims = {"000-02"},
         .remedies = {"start the container again",
                      "docker run --device /dev/nvidia0 --device /dev/nvidiactl ... (keeps access)",
                      "\"exec-opts\": [\"native.cgroupdriver=cgroupfs\"] in /etc/docker/daemon.json"}},
        {.name = "GPU needs another kernel module",
         .needles = {"is not supported by open", "requires use of the NVIDIA open kernel modules",
                     "NVIDIA probe routine failed for", "NVIDIA probe routine was not called", "NVRM: No NVIDIA"},
         .meaning =
             "The loaded module does not drive this GPU: too old or too new for the branch, the open one instead of "
             "the proprietary, or another driver (nouveau, vfio) holds it.",
         .claims = {"000-02"},
         .remedies = {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)",
                      "grep -l 0x10de /sys/bus/pci/drivers/*/*/vendor   (tells which module holds it)",
                      "sudo dmesg | grep -i nvrm   (tells why)"}},
        {.name = "container runtime without NVIDIA",
         .needles = {"could not select device driver", "unknown or invalid runtime name: nvidia",
                     "Unknown runtime specified nvidia", "unresolvable CDI devices nvidia.com/gpu"},
         .meaning = "Docker does not know the NVIDIA runtime: the container toolkit is missing or not configured.",
         .claims = {"000-02"},
         .remedies = {"sudo apt install nvidia-container-toolkit",
                      "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"}},
        {.name = "container cannot get the driver",
         .needles = {"nvidia-container-cli: initialization error", "nvidia-container-cli: requirement error",
                     "nvidia-container-cli: mount error", "nvidia-container-cli.real: initialization error"},
         .meaning =
             "The NVIDIA container runtime cannot use the host's driver, or the image needs a newer CUDA than it has.",
         .claims = {"000-02", "001-04"},
         .remedies = {"nvidia-smi   (on the host)",
                      "docker run -e NVIDIA_DISABLE_REQUIRE=1 ...   (skips the image's check)"}},
        {.name = "MIG without instances",
         .needles = {"No MIG-supported devices found", "No MIG-enabled devices found"},
         .meaning =
             "MIG is on, and no instance of the GPU is there or given to this process, so CUDA sees no GPU (code 100).",
         .claims = {"004-11"},
         .remedies = {"nvidia-smi -L", "sudo nvidia-smi mig -cgi 0 -C", "sudo nvidia-smi -mig 0   (off)"}},
        {.name = "GPU out of WSL's reach",
         .needles = {"GPU access blocked by the operating system",
                     "WSL environment detected but no adapters were found",
                     "libdxcore.so: cannot open shared object file"},
         .meaning =
             "WSL passes the GPU through from Windows, and that fails: install or update the driver of Windows, never "
             "one inside WSL.",
         .claims = {"000-02"},
         .remedies = {"wsl --update   (in Windows)", "ls -l /dev/dxg /usr/lib/wsl/lib",
                      "sudo apt remove 'nvidia-driver-*'   (in WSL, if one was installed)"}},
    };
}

}  // namespace tocuda::doctor
