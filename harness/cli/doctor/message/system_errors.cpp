// tocuda, Apache-2.0.
// nvidia-smi, and the start of the driver as the kernel's log shows it.
#include <fmt/core.h>

#include <array>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto log_of_driver = "sudo dmesg | grep -iE 'nvrm|xid'   (says why)";

// lspci shows a device that no longer answers with all bits set.
bool is_off_the_bus(std::string_view text) {
    return contains(text, "(rev ff)") || contains(text, "fallen off the bus");
}

void read_no_devices(std::string_view text, std::size_t, Explanation& told) {
    if (!is_off_the_bus(text)) return;
    told.error = "GPU lost";
    told.meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.";
    told.certain = true;
    told.arithmetic.emplace_back("lspci shows it with (rev ff): it is off the bus");
    told.remedies = {
        {"sudo dmesg | grep -iE 'xid|pcie|aer'", Scope::look},
        {"power the machine off and on   (a reboot is not always enough; ends every program of it)", Scope::others}};
}

// The line before it, or the boot after it, says more.
bool is_alone(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 3000, 3000);
    return !contains(around, "NVRM: Xid (") && !is_off_the_bus(around);
}

// "the client has the version 550.120, but this kernel module has the version 550.107"
void read_module_and_library(std::string_view text, std::size_t at, Explanation& told) {
    // What is found in it refers to it. The blank ends a version that the text ends with.
    const auto message = flattened(text_near(text, at, 0, 500), 500) + " ";
    const auto library = between(message, "NVML library version: ", " ");
    if (library) told.arithmetic.push_back(fmt::format("the library is of driver {}", *library));
    const auto client = between(message, "client has the version ", ",");
    const auto module = between(message, "kernel module has the version ", " ");
    if (client && module)
        told.arithmetic.push_back(fmt::format("the libraries are of {}, the loaded module of {}", *client,
                                              module->substr(0, module->find_last_of("0123456789") + 1)));
    if (contains(text, "docker") || contains(text, "ontainer"))
        told.arithmetic.emplace_back(
            "in a container: an image must not carry libraries of the driver of its own "
            "(libnvidia-*, nvidia-utils); the host's are passed in when it starts");
}

}  // namespace

std::vector<KnownError> system_errors() {
    return {
        {.name = "GPU lost",
         .needles = {"fallen off the bus", "GPU is lost.  Reboot the system", "GPU is lost",
                     "Unable to determine the device handle for", "cudaErrorDeviceUninitialized"},
         .meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.",
         .claims = {"001-08"},
         .remedies = {look("sudo dmesg | grep -iE 'xid|pcie|aer'"),
                      look("grep -l 0x10de /sys/bus/pci/devices/*/vendor   (does the bus still have it?)"),
                      others("power the machine off and on   (a reboot is not always enough; ends every program of "
                             "it)")},
         .applies = [](std::string_view text, std::size_t at) { return !contains(line_around(text, at), "Xid ("); }},
        {.name = "NVML: driver and library do not match",
         .needles = {"Driver/library version mismatch", "driver/library version mismatch", "NVRM: API mismatch"},
         .meaning =
             "The driver's libraries are of another version than the kernel module that is loaded: the driver was "
             "upgraded and the module not, or an image or folder carries libraries of its own.",
         .claims = {"001-08"},
         .remedies = {look("cat /proc/driver/nvidia/version; ldconfig -p | grep -E 'libcuda|nvidia-ml'"),
                      others(
                          "sudo reboot   (after an upgrade: ends every program of the machine; or, while no program "
                          "uses a GPU: sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe "
                          "nvidia)")},
         .read = read_module_and_library},
        {.name = "nvidia-smi finds no driver",
         .needles = {"couldn't communicate with the NVIDIA driver", "Failed to initialize NVML: Driver Not Loaded",
                     "Failed to initialize NVML: Driver is not loaded", "NVML: Driver Not Loaded"},
         .meaning =
             "The kernel module nvidia is not loaded: not built for this kernel, blacklisted, or rejected by Secure "
             "Boot.",
         .claims = {"000-02"},
         .remedies = {look("dkms status; uname -r; mokutil --sb-state"),
                      machine("sudo modprobe nvidia   (then: sudo dmesg | grep -i nvrm)"),
                      look("tocuda doctor   (on that machine: says which of them)")},
         .certain = false},
        {.name = "module rejected by Secure Boot",
         .needles = {"Key was rejected by service", "Loading of unsigned module is rejected",
                     "module verification failed: signature and/or required key missing - rejected"},
         .meaning = "Secure Boot loads only signed modules, and the key of this one is not enrolled.",
         .claims = {"000-02"},
         .remedies = {look("mokutil --sb-state; modinfo -F signer nvidia"),
                      machine(
                          "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der   (Ubuntu; then reboot and enrol the "
                          "key; or switch Secure Boot off in the firmware)")}},
        {.name = "GPU without addresses for its memory",
         .needles = {"BAR1 is 0M", "BAR0 is 0M", "I/O region assigned to your NVIDIA device is invalid",
                     "BAR 1: no space for", "BAR 1: failed to assign"},
         .meaning = "The firmware or the virtual machine gave the GPU no address for its memory (BAR 1).",
         .remedies = {look("lspci -v -d 10de:   (Memory at <unassigned>?)"),
                      machine(
                          "switch Above 4G Decoding and Resizable BAR on in the firmware   (a virtual machine: give it "
                          "64-bit PCI space, on its host)"),
                      machine("pci=realloc   (on the kernel's command line)")}},
        {.name = "GPU cannot be started",
         .needles = {"RmInitAdapter failed!", "RmInitAdapter: Cannot initialize GSP firmware", "rm_init_adapter failed",
                     "_kgspBootGspRm: unexpected WPR2 already up", "Cannot initialize GSP firmware RM"},
         .meaning =
             "The module is loaded and could not start the GPU or its system processor (GSP): Above 4G Decoding or "
             "Resizable BAR is off in the firmware, a board needs the open module (RTX 50 and newer) or the "
             "proprietary one (before Turing), it was left in a bad state, or its pass-through is incomplete.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver),
                      look("cat /proc/driver/nvidia/version   (Open Kernel Module? RTX 50 needs it)"),
                      machine("switch Above 4G Decoding and Resizable BAR on in the firmware"),
                      others("power the machine off and on   (where it worked before; ends every program of it)")},
         .applies = is_alone,
         .certain = false},
        {.name = "GPU's system processor hangs",
         .needles = {"_kgspIsHeartbeatTimedOut", "GSP Timeout *"},
         .meaning =
             "The GPU's system processor (GSP) does not answer the driver any more, as Xid 119 says too: a bug of "
             "this driver's firmware, or of the board or its slot.",
         .remedies = {look(log_of_driver), machine("install a newer driver"),
                      others("power the machine off and on   (a reset is refused in this state; ends every program)")},
         .applies = is_alone,
         .certain = false},
        {.name = "nvidia-smi finds no GPU",
         .needles = {"No devices were found"},
         .meaning = "The module is loaded and shows no GPU: it could not start it (GSP, Above 4G Decoding, BAR), the "
                    "board needs the open module (RTX 50 and newer) or the proprietary one (before Turing), or it is "
                    "passed on to a virtual machine.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver), look("lspci -nnk -d 10de:   (which module has it? rev ff: off the bus)"),
                      look("cat /proc/driver/nvidia/version   (Open Kernel Module?)")},
         .read = read_no_devices,
         .rank = Rank::symptom,
         .certain = false},
        {.name = "NVML does not start",
         .needles = {"Can't initialize NVML", "Failed to initialize NVML", "nvmlInit failed", "NVMLError_"},
         .meaning = "NVML, which nvidia-smi and PyTorch ask about the GPUs, did not start; CUDA may work all the same.",
         .remedies = {look("nvidia-smi"), look("tocuda doctor   (on that machine)")},
         .rank = Rank::symptom,
         .certain = false},
        {.name = "GPU needs another kernel module",
         .needles = {"is not supported by open", "requires use of the NVIDIA open kernel modules",
                     "NVIDIA probe routine failed for", "NVIDIA probe routine was not called", "NVRM: No NVIDIA",
                     "installed in this system is not supported by the"},
         .meaning =
             "The loaded module does not drive this GPU: too old or too new for the branch, the open one instead of "
             "the proprietary, or another driver (nouveau, vfio) holds it.",
         .claims = {"000-02"},
         .remedies = {look("lspci -nnk -d 10de:   (which module has it?)"), look(log_of_driver),
                      machine("sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)")},
         .applies = [](std::string_view text,
                       std::size_t at) { return !contains(text_near(text, at, 1500, 500), "fallen off the bus"); }},
        {.name = "GPUDirect RDMA not loaded",
         .needles = {"could not insert 'nvidia_peermem'", "nvidia_peermem: disagrees about version",
                     "nvidia-peermem: Unknown symbol", "nvidia_peermem: Unknown symbol"},
         .meaning =
             "nvidia_peermem, through which network adapters reach the GPU's memory, does not fit the InfiniBand "
             "drivers: it was built before them. CUDA works without it.",
         .remedies = {look("modinfo nvidia_peermem; ofed_info -s"),
                      machine("sudo dkms autoinstall   (after installing the InfiniBand drivers)"),
                      "NCCL_NET_GDR_LEVEL=LOC python ...   (NCCL without it)"}},
        {.name = "MIG without instances",
         .needles = {"No MIG-supported devices found", "No MIG-enabled devices found"},
         .meaning =
             "MIG is on, and no instance of the GPU is there or given to this process, so CUDA sees no GPU (code 100).",
         .claims = {"004-11"},
         .remedies = {look("nvidia-smi -L"), machine("sudo nvidia-smi mig -cgi 0 -C   (makes one instance of all)"),
                      others("sudo nvidia-smi -mig 0   (switches MIG off: only while no program uses the GPU)")}},
    };
}

}  // namespace tocuda::doctor
