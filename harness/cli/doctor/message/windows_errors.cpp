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

// Those of the Device Manager that GPUs have.
constexpr auto device_codes = std::to_array<DeviceCode>(
    {{"(Code 10)", "the GPU could not be started: its driver does not fit it or this Windows", clean_driver},
     {"(Code 12)", "Windows has no addresses left for the GPU's memory",
      "switch Above 4G Decoding on in the firmware   (an external GPU: another port, or without the internal one)"},
     {"(Code 14)", "Windows has to be restarted before the GPU works", "restart Windows"},
     {"(Code 22)", "the GPU is disabled", "Device Manager, the GPU, Enable device   (undo: Disable)"},
     {"(Code 28)", "no driver is installed for the GPU",
      "install NVIDIA's driver: https://www.nvidia.com/drivers   (undo: Apps, uninstall)"},
     {"(Code 31)", "Windows cannot load the GPU's driver, often after an update of Windows", clean_driver},
     {"(Code 37)", "the driver returned a failure when it was loaded", clean_driver},
     {"(Code 39)", "a file of the driver is missing or damaged", clean_driver},
     {"(Code 45)", "the GPU is not connected: switched off by the laptop, or gone from its slot or cable",
      "seat the board or its cable anew   (with the machine off; a laptop: its maker's switch for the GPU)"},
     {"(Code 52)", "Windows does not accept the driver's signature",
      "install NVIDIA's own driver: https://www.nvidia.com/drivers   (not a modified one)"}});

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

void read_code(std::string_view text, std::size_t at, Explanation& told) {
    const auto found = std::ranges::find_if(
        device_codes, [&](const DeviceCode& one) { return text.substr(at).starts_with(one.number); });
    if (found == device_codes.end()) return;
    told.meaning = fmt::format("The Device Manager says that {}.", found->meaning);
    told.certain = true;
    told.remedies = {{std::string(found->remedy), Scope::machine},
                     {"nvidia-smi   (afterwards: does it show the GPU?)", Scope::look}};
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
        {.name = "GPU that Windows does not start",
         .needles = {"(Code 10)", "(Code 12)", "(Code 14)", "(Code 22)", "(Code 28)", "(Code 31)", "(Code 37)",
                     "(Code 39)", "(Code 45)", "(Code 52)"},
         .meaning = "The Device Manager says by a code why the GPU does not work.",
         .remedies = {machine(clean_driver)},
         .read = read_code,
         .near = {"nvidia", "NVIDIA", "Nvidia", "GeForce", "RTX", "GTX"}},
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
        {.name = "driver model cannot be changed",
         .needles = {"Unable to set driver model", "TCC can't be enabled", "TCC cannot be enabled"},
         .meaning = "This GPU has no TCC mode (GeForce), or a display hangs on it: it stays in WDDM mode.",
         .remedies = {look("nvidia-smi -q | findstr /i \"Driver Model\""),
                      machine("nvidia-smi -i 0 -dm 1   (as administrator, with no display on this GPU, then restart "
                              "Windows; undo: -dm 0)")}},
    };
}

}  // namespace tocuda::doctor
