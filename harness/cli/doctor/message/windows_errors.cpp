// tocuda, Apache-2.0.
// Windows: the codes of the Device Manager, and what it does with a GPU that does not answer.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

struct DeviceCode {
    std::string_view number, meaning, remedy;
};

constexpr auto clean_driver =
    "install the current driver with \"Perform a clean installation\"   (undo: the version before)";

void read_code_43(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text, {"assthrough", "ass-through", "QEMU", "qemu", "KVM", "kvm", "vfio", "VFIO", "Proxmox",
                             "proxmox", "VirtualBox", "virt-manager", "<hyperv", "ESXi"}))
        return;
    told.meaning =
        "The driver in the virtual machine stopped the GPU: drivers before 465 refuse GeForce there, and each needs "
        "the "
        "whole board with its ROM; laptops' GPUs ask for a battery too.";
    told.remedies = {
        {"install a driver newer than 465 in the guest   (undo: the version before)", Scope::machine},
        {"<kvm><hidden state='on'/></kvm> and <vendor_id state='on' value='0123456789ab'/> in <hyperv>   (libvirt; "
         "Proxmox: cpu: host,hidden=1; undo: remove them)",
         Scope::machine},
        {"pass all functions of the board, with romfile=FILE   (its own ROM; undo: the old line)", Scope::machine},
        {"-acpitable file=SSDT1.dat   (QEMU: a table with a battery, for GPUs of laptops; undo: remove it)",
         Scope::machine}};
}

}  // namespace

std::vector<KnownError> windows_errors() {
    return {
        {.name = "GPU stopped by Windows",
         .needles = {"reported problems. (Code 43)", "reported problems (Code 43)", "Code 43", "code 43", "Error 43",
                     "error 43", "CM_PROB_FAILED_POST_START"},
         .meaning = "Windows stopped the GPU because its driver reported a fault: the driver, an unsupported "
                    "pass-through to a virtual machine, or the board.",
         .remedies =
             {machine(clean_driver),
              machine("hide the hypervisor from the guest, or use a driver newer than 465   (in a virtual machine)"),
              "try the board in another machine   (if it repeats)"},
         .read = read_code_43,
         .near = {"nvidia", "NVIDIA", "Nvidia", "GeForce", "RTX", "GTX", "gtx", "rtx", "GPU"},
         .certain = false},
        {.name = "Windows reset the GPU",
         .needles = {"nvlddmkm", "TDR has been detected", "VIDEO_TDR", "stopped responding and has", "LiveKernelEvent",
                     "VIDEO_ENGINE_TIMEOUT", "VIDEO_SCHEDULER_INTERNAL", "DXGI_ERROR_DEVICE_HUNG",
                     "DXGI_ERROR_DEVICE_REMOVED", "DXGI_ERROR_DEVICE_RESET"},
         .meaning =
             "The GPU did not answer Windows for some seconds (TDR), so it was reset, and every program on it lost its "
             "work: one long kernel, a fault of the driver, or a board at its limit (overclocking, power, heat).",
         .remedies = {look("Event Viewer, Windows Logs, System: source nvlddmkm   (4101: only too slow; 13, 14, 153: "
                           "an error of the GPU)"),
                      "use smaller batches or tiles, so that no kernel runs for seconds",
                      machine("reg add HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers /v TdrDelay /t "
                              "REG_DWORD /d 60   (as administrator, then restart Windows; undo: reg delete with the "
                              "same key and /v TdrDelay)"),
                      machine("install an older or newer driver, and take overclocking back   (if it is an error of "
                              "the GPU; undo: the version before)")},
         .near = {"nvlddmkm", "NVIDIA", "Nvidia", "nvidia", "CUDA", "cuda", "GeForce", "RTX", "GTX"},
         .rank = Rank::symptom},
    };
}

}  // namespace tocuda::doctor
