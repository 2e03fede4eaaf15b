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

bool has_not_loaded(std::string_view text, std::size_t) { return !contains(text, "NVRM: loading NVIDIA UNIX"); }

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

Functions display_functions() {
    return {
        .readings = {{"tell_of_bbswitch", tell_of_bbswitch}, {"read_status", read_status}},
        .conditions = {{"is_unknown_error_of_driver", is_unknown_error_of_driver}, {"has_not_loaded", has_not_loaded}}};
}

}  // namespace tocuda::doctor
