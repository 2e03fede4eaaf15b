// tocuda, Apache-2.0.
// The kernel's and the X server's words about the GPU that are no Xids, harmless ones too.
#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

bool is_unknown_error_of_driver(std::string_view text, std::size_t at) {
    if (contains(line_around(text, at), "non-fatal")) return false;
    return contains_any(line_around(text, at),
                        {"ailed", "rror", "imeout", "timed out", "Cannot", "annot ", "bad register", "ssertion"});
}

// "rpcSendMessage failed with status 0x0000000f", "Possible bad register read": what a GPU that is gone makes.
void read_status(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text, {"status 0x0000000f", "bad register read", "[NV_ERR_GPU_IS_LOST]", "NV_ERR_GPU_IS_LOST"}))
        return;
    told.error = "GPU lost";
    told.meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.";
    told.arithmetic.emplace_back("the driver reads nothing but ones, or says itself that the GPU is lost (0xf)");
    told.remedies = {
        {"sudo dmesg | grep -iE 'xid|pcie|aer'", Scope::look},
        {"power the machine off and on   (a reboot is not always enough; ends every program of it)", Scope::others}};
}

}  // namespace

void tell_of_bbswitch(std::string_view, std::size_t, Explanation& told) {
    told.meaning =
        "bbswitch, which Bumblebee uses, switched the laptop's GPU off, and it did not come back: the driver finds "
        "nothing on the bus.";
    told.remedies = {{"cat /proc/acpi/bbswitch   (ON?)", Scope::look},
                     {"echo ON | sudo tee /proc/acpi/bbswitch   (undo: OFF)", Scope::machine},
                     {"sudo apt remove bbswitch-dkms   (the driver's own power management takes its place; undo: "
                      "sudo apt install bbswitch-dkms)",
                      Scope::machine}};
}

std::vector<KnownError> display_errors() {
    constexpr auto log = "sudo dmesg | grep -iE 'nvrm|xid' | tail   (the driver's own words say why)";
    return {
        {.name = "display server cannot use the GPU",
         .needles = {"Failed to initialize the NVIDIA GPU at PCI", "Failed to initialize the NVIDIA kernel module",
                     "Failed to load module \"nvidia\"", "Cannot access secondary GPU",
                     "Failed to allocate NvKmsKapiDevice", "Failed to initialize the NVIDIA graphics device",
                     "NVIDIA: could not open the device file", "Could not load GPU driver"},
         .meaning = "The X server or bumblebee found no NVIDIA GPU to use, because the driver's module is not loaded "
                    "or could not start it. CUDA fails for the same reason.",
         .claims = {"000-02"},
         .remedies = {look(log), look("nvidia-smi; lspci -nnk -d 10de:; lsmod | grep -E 'nvidia|nouveau|bbswitch'"),
                      machine("sudo modprobe nvidia   (its message says more)"), machine(build_for_kernel)},
         .rank = Rank::symptom},
        {.name = "GPU switched off by bbswitch",
         .needles = {"bbswitch: disabling discrete", "bbswitch: could not enable", "cannot enable discrete card"},
         .meaning = "bbswitch switched the laptop's GPU off.",
         .remedies = {look("cat /proc/acpi/bbswitch   (ON?)")},
         .read = tell_of_bbswitch,
         .rank = Rank::symptom},
        {.name = "driver does not fit this kernel",
         .needles = {"usercopy whitelist", "kernel BUG at", "invalid opcode: 0000"},
         .meaning = "The kernel stopped NVIDIA's module for an error in it: this driver does not fit the kernel, most "
                    "often one that is newer than it.",
         .remedies = {look("uname -r; cat /proc/driver/nvidia/version; sudo dmesg | tail -40"),
                      machine("sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)"),
                      machine("boot an older kernel   (until then: Advanced options in the boot menu)")},
         .near = {"nvidia"},
         .rank = Rank::symptom},
        {.name = "nouveau drives the GPU",
         .needles = {"nouveau 0000:", "Unknown chipset: NV", "is already bound to nouveau", "Falling back to nouveau",
                     "Falling back to Nouveau", "Kernel driver in use: nouveau"},
         .meaning =
             "nouveau, the free driver of Linux, has the GPU: NVIDIA's module was not built for this kernel, was "
             "refused by Secure Boot, or came too late.",
         .claims = {"000-02"},
         .remedies = {look("modinfo -F version nvidia; uname -r; mokutil --sb-state; lspci -nnk -d 10de:   (is there a "
                           "module for this kernel, and may it be loaded?)"),
                      machine(build_for_kernel),
                      machine("sudo mokutil --import /var/lib/shim-signed/mok/MOK.der   (Ubuntu; then reboot and enrol "
                              "the key, where Secure Boot is on; undo: sudo mokutil --delete)"),
                      machine("printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | sudo tee "
                              "/etc/modprobe.d/blacklist-nouveau.conf && sudo update-initramfs -u   (Fedora: sudo "
                              "dracut --force; then reboot; undo: remove that file)")},
         .rank = Rank::symptom},
        {.name = "harmless words of the driver",
         .needles = {"NVRM objClInitPcieChipset", "NVRM: objClInitPcieChipset", "*** Chipset Setup Function Error",
                     "*** Chipset has no definition", "*** Unable to get PCI port handles"},
         .meaning = "The driver does not know this board's chipset, or found it other than expected, and leaves its "
                    "settings for PCIe as they are. Nothing has failed: if nvidia-smi shows the GPU, there is nothing "
                    "to do.",
         .remedies = {look("nvidia-smi   (does it show the GPU?)"),
                      look("sudo dmesg | grep -iE 'xid|RmInit|fallen'   (lines that do tell of a failure)")},
         .rank = Rank::notice},
        {.name = "driver reports an error",
         .needles = {"NVRM"},
         .meaning = "NVIDIA's module reports an error of its own, which is no Xid. Alone it may be harmless; before an "
                    "Xid or a GPU that does not start it is the first sign.",
         .remedies = {look("sudo dmesg | grep -iE 'xid|fallen|RmInit' | head   (the first says what failed)"),
                      look("nvidia-smi"),
                      machine("install another driver   (if programs fail; undo: the version before)")},
         .read = read_status,
         .applies = is_unknown_error_of_driver,
         .rank = Rank::notice},
        {.name = "harmless words of the kernel",
         .needles = {"signature and/or required key missing - tainting", "module license 'NVIDIA' taints kernel",
                     "i2c timeout error e0000000", "ucsi_ccg_init failed", "no GSP-RM logs will be printed",
                     "Direct firmware load for nvidia/", "UBSAN: ", "_DSM: Argument #4 type mismatch",
                     "loading out-of-tree module taints kernel"},
         .meaning =
             "The kernel only notes that the driver is not a part of it, that a file for its logs is not there, or "
             "that a GPU has no USB-C port or an odd ACPI table. None of this keeps CUDA from working.",
         .remedies = {look(log), look("nvidia-smi")},
         .applies = [](std::string_view text, std::size_t) { return !contains(text, "NVRM: loading NVIDIA UNIX"); },
         .near = {"nvidia", "ucsi", "NVIDIA", "PEG"},
         .rank = Rank::notice},
    };
}

}  // namespace tocuda::doctor
