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

Functions windows_functions() { return {.readings = {{"read_code_43", read_code_43}}}; }

}  // namespace tocuda::doctor
