// tocuda, Apache-2.0.
// The errors that NVIDIA's kernel modules report with a number: Xids of GPUs, SXids of NVSwitches. What they mean and
// ask for is that of NVIDIA's catalogue, https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/seen.hpp"

namespace tocuda::doctor {

// What NVIDIA asks for, by how far it reaches.
enum class XidAction {
    nothing,      // to be watched, if it repeats
    application,  // the program is at fault, or must be started again
    lost_memory,  // a program lost data in the GPU's memory: it is started again, and the GPU reset when that is
                  // possible
    see_154,      // Xid 154, which follows it, says what to do; without one the program is started again
    check_board,  // seating, power and cables
    update,       // driver, guest driver or firmware
    virtual_machine,
    reset_gpu,
    reset_all,  // all GPUs and NVSwitches together
    restart,    // the machine, or power off: the GPU is gone
    contact,    // the vendor
};

struct XidMeaning {
    std::string what;
    XidAction action = XidAction::nothing;
};

// Of a number that is not in NVIDIA's catalogue: to contact the vendor.
XidMeaning xid_meaning(int number);
// What an SXid means, by the Fabric Manager's guide; empty if that says no more than its line.
std::string_view sxid_meaning(int number);
// What a line about an NVSwitch says of itself, "Fatal" or "Non-fatal", and what the numbers of the Fabric Manager's
// guide add.
XidAction sxid_action(int number, std::string_view line);

// "reset the GPU"
std::string_view word(XidAction action);

// The commands for it, the harmless ones first. `gpu` is its address or number, for nvidia-smi.
struct XidStep {
    std::string what;
    bool hits_others = false;
};
std::vector<XidStep> steps_for(XidAction action, const std::string& gpu);

// "NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, ...": each number of each GPU once, in the order of the text. Of a line
// with "caused by previous Xid 149" also that one.
std::vector<Xid> counted_xids(std::string_view text);

// "... GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)": "GPU Reset Required"; empty if there
// is none.
std::string_view recovery_action_in(std::string_view text);
XidAction action_called(std::string_view recovery);

}  // namespace tocuda::doctor
