// tocuda, Apache-2.0.
#include "doctor/xid_meanings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

struct Row {
    int first;
    int last;
    XidAction action;
    std::string_view what;
};
using enum XidAction;

constexpr auto catalogue = std::to_array<Row>({
    {8, 8, application, "the GPU stopped processing what a program had sent"},
    {11, 11, application, "a program's commands were invalid or corrupted"},
    {13, 13, application, "a kernel failed, usually a bug of the program"},
    {14, 14, nothing, "a test message"},
    {16, 16, nothing, "the display engine hung: it concerns a monitor, not computing"},
    {19, 19, nothing, "the display engine reported an error: it concerns a monitor, not computing"},
    {25, 25, application, "a program's commands were illegal"},
    {31, 31, application, "a kernel accessed memory it does not own, usually a bug of the program"},
    {32, 32, application, "a program's commands were corrupted on their way to the GPU"},
    {37, 38, nothing, "the firmware that switches between programs reported an error"},
    {39, 41, application, "a copy engine failed"},
    {43, 43, nothing, "a program was stopped after an error of its own; the GPU is healthy"},
    {44, 44, nothing, "a fault while switching between programs"},
    {45, 45, nothing,
     "a program was ended, usually after another Xid, which is the cause (alone: restart the fabric "
     "manager)"},
    {46, 46, reset_gpu, "the GPU stopped answering the driver"},
    {48, 48, reset_gpu, "uncorrectable memory error"},
    {54, 54, check_board, "the board has too little power: its auxiliary connector is not plugged in"},
    {56, 56, nothing, "the display engine reported an error: it concerns a monitor, not computing"},
    {57, 58, reset_gpu, "the interface to the GPU's memory is unstable: replace the GPU if it repeats"},
    {60, 60, application, "the security processor failed on what a program had sent"},
    {61, 61, reset_gpu, "the GPU's microcontroller halted"},
    {62, 62, reset_gpu, "the GPU's microcontroller halted"},
    {63, 63, nothing, "a memory row was or will be remapped; the next reset completes it"},
    {64, 64, reset_gpu, "remapping a memory row failed: replace the GPU if it repeats"},
    {66, 67, nothing, "the firmware that switches between programs met an illegal access"},
    {68, 68, application, "a video decoder failed"},
    {69, 69, application, "a program's commands named an invalid class"},
    {70, 72, application, "a copy engine failed"},
    {74, 74, check_board, "an NVLink failed: check links and seating; reset the GPU if it repeats"},
    {75, 77, application, "a copy engine failed"},
    {78, 78, update, "a virtual GPU could not start: guest and host driver do not fit, or the type is not supported"},
    {79, 79, restart, "the GPU has fallen off the bus: power, heat, seating or the slot"},
    {80, 80, application, "a program's commands arrived corrupted"},
    {82, 82, application, "a JPEG engine failed"},
    {83, 84, application, "a video decoder failed"},
    {85, 85, application, "a copy engine failed"},
    {86, 86, application, "the optical flow engine failed"},
    {88, 89, application, "a video decoder failed"},
    {92, 92, nothing, "many corrected memory errors"},
    {93, 93, nothing, "the board's own memory for its records is written more often than it should be"},
    {94, 94, lost_memory, "uncorrectable memory error, contained: only the program that had it is lost"},
    {95, 95, reset_gpu, "uncorrectable memory error, not contained: every program on the GPU is lost"},
    {96, 98, application, "a video decoder failed"},
    {99, 105, application, "a JPEG engine failed"},
    {106, 107, nothing, "a test message of the board management"},
    {108, 108, nothing, "an address of another GPU's memory could not be translated"},
    {109, 109, reset_gpu, "switching between programs took too long"},
    {110, 110, reset_gpu,
     "a fault in the security of the board: if it stays, undo recent changes of the hardware and power "
     "the machine off"},
    {119, 119, reset_gpu,
     "the GPU's system processor (GSP) does not answer; if it repeats: power off, update the driver"},
    {120, 120, reset_gpu, "the GPU's system processor (GSP) failed; if it repeats: power off, update the driver"},
    {121, 121, nothing, "a corrected error on the link between CPU and GPU"},
    {122, 125, nothing, "the board's own memory for its records could not be read or written"},
    {126, 135, application, "a copy engine failed"},
    {136, 136, reset_gpu, "an NVLink could not be trained"},
    {137, 137, application, "a program accessed memory of another GPU that it does not own"},
    {139, 139, application, "the optical flow engine failed"},
    {140, 140, reset_gpu, "an uncorrectable memory error escaped the driver's handling"},
    {141, 141, nothing, "an error on the fast path to the GPU"},
    {142, 142, contact, "a video encoder failed"},
    {143, 143, reset_gpu, "the GPU could not be initialized"},
    {144, 146, see_154, "an error of NVLink, whose two numbers NVIDIA's catalogue decodes"},
    {147, 148, nothing, "an error of NVLink that needs nothing"},
    {149, 149, reset_gpu, "a link of NVLink went down, here or at its other end"},
    {150, 150, reset_gpu, "the management of NVLink failed"},
    {151, 151, virtual_machine, "the keys of confidential computing could not be renewed"},
    {152, 153, nothing, "an error of the deep learning accelerator"},
    {154, 154, see_154, "the driver says which recovery the GPU needs"},
    {155, 155, reset_gpu, "NVLink was taken down by software"},
    {156, 156, reset_gpu, "a part of the GPU is to be retired; a reset completes it"},
    {157, 157, nothing, "retiring a part of the GPU failed: contact the vendor if it repeats"},
    {158, 158, reset_gpu, "the GPU did not finish in time, which it cannot recover from"},
    {159, 159, reset_gpu, "an error on the coherent link to the CPU (only if unified memory or virtual GPUs are used)"},
    {160, 161, nothing, "a channel of the memory is or could not be retired"},
    {162, 165, nothing, "the hardware that smooths the power draw changed its state"},
    {166, 166, nothing, "an error in the encryption of NVLink"},
    {167, 167, nothing, "an access over PCIe took too long, which cannot be recovered from"},
    {168, 168, nothing, "the GPU has less memory than it had"},
    {169, 169, nothing, "the security processor halted"},
    {170, 170, nothing, "an error in the secure mode of NVLink"},
    {171, 171, nothing, "an uncorrectable error in the GPU's memory; Xid 48, 94 or 95 says what to do"},
    {172, 172, nothing, "an uncorrectable error in the GPU's caches; Xid 48, 94 or 95 says what to do"},
});

// Of NVSwitches: Fabric Manager User Guide, tables of SXids.
constexpr auto always_fatal = std::to_array<int>({12020, 22003, 22011});
constexpr int first_always_fatal = 23001, last_always_fatal = 23017;

// From one text to the next after it.
std::string_view after(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    return at == std::string_view::npos ? "" : text.substr(at + label.size());
}

void count(Xid xid, std::vector<Xid>& found) {
    const auto same = std::ranges::find_if(
        found, [&](const Xid& one) { return one.number == xid.number && one.address == xid.address; });
    if (same != found.end()) ++same->times;
    else found.push_back(std::move(xid));
}

}  // namespace

XidMeaning xid_meaning(int number) {
    const auto* const found =
        std::ranges::find_if(catalogue, [&](const Row& row) { return number >= row.first && number <= row.last; });
    if (found == catalogue.end()) return {"not in NVIDIA's catalogue of Xids", contact};
    return XidMeaning{std::string(found->what), found->action};
}

std::string_view sxid_meaning(int number) {
    switch (number) {
        case 10003:
            return "an interrupt of the switch that its driver could not handle";
        case 11004:
            return "a GPU sent to an address that the partition does not allow: the fabric manager's partitions do not "
                   "fit the virtual machines";
        case 12028:
            return "a request to a GPU was refused because that GPU is gone or was reset: look at the Xids of the GPUs "
                   "and at the virtual machine that has it";
        case 19084:
            return "the link's state machine failed";
        case 20012:
            return "a link could not be trained: cable, connector or board";
        case 20034:
            return "a link of NVLink went down";
        default:
            return "";
    }
}

XidAction sxid_action(int number, std::string_view line) {
    if (number == 10003 || number == 19084) return reset_all;
    if (number == 11004 || number == 12028) return virtual_machine;
    if (number == 20012) return check_board;
    if (std::ranges::count(always_fatal, number) > 0 || (number >= first_always_fatal && number <= last_always_fatal))
        return restart;
    const auto words = lower(line);
    if (words.find("non-fatal") != std::string::npos || words.find("non fatal") != std::string::npos) return nothing;
    return words.find("fatal") != std::string::npos ? reset_all : nothing;
}

std::string_view word(XidAction action) {
    switch (action) {
        case nothing:
            return "nothing needs to be done, unless it repeats";
        case application:
            return "look at the program, and start it again";
        case lost_memory:
            return "start the program again, and reset the GPU when it is free";
        case see_154:
            return "do what Xid 154 says; without one, start the program again";
        case check_board:
            return "check seating, power and cables";
        case update:
            return "update driver and firmware";
        case virtual_machine:
            return "start the virtual machine again";
        case reset_gpu:
            return "reset the GPU";
        case reset_all:
            return "reset all GPUs and NVSwitches";
        case restart:
            return "reboot the machine, or power it off and on";
        case contact:
            return "contact the vendor";
    }
    return "";
}

std::vector<XidStep> steps_for(XidAction action, const std::string& gpu) {
    const auto shown = fmt::format("nvidia-smi -q -i {} | grep -iA3 'recovery\\|remap'", gpu);
    switch (action) {
        case nothing:
            return {{"sudo dmesg | grep -i xid   (does it repeat, or stand beside another?)"}};
        case application:
            return {{"compute-sanitizer python ...   (names the kernel that does it)"},
                    {"sudo dmesg | grep -i xid   (one program, or every program on that GPU? then it is the GPU)"}};
        case lost_memory:
            return {{fmt::format("nvidia-smi -q -i {} -d ECC,ROW_REMAPPER   (pending: a reset completes it; failure "
                                 "occurred: replace the GPU)",
                                 gpu)},
                    {"start the program again   (only it lost its data; others on the GPU go on)"},
                    {fmt::format("sudo nvidia-smi --gpu-reset -i {}   (only once no program uses it)", gpu), true}};
        case see_154:
            return {{"sudo dmesg | grep 'Xid.*154'"}, {shown}};
        case check_board:
            return {{"nvidia-smi nvlink -s; nvidia-smi -q -d PERFORMANCE"},
                    {"check seating, auxiliary power and cables   (with the machine off)", true}};
        case update:
            return {{"nvidia-smi   (on the host and in the guest: driver versions that belong together)"}};
        case virtual_machine:
            return {{shown}, {"start the virtual machine that has the GPU again   (ends what runs in it)", true}};
        case reset_gpu:
            return {{shown},
                    {"move the work to another GPU, and let what still runs on this one end"},
                    {fmt::format("sudo nvidia-smi --gpu-reset -i {}   (only once no program uses it; if it refuses: "
                                 "reboot)",
                                 gpu),
                     true}};
        case reset_all:
            return {{shown},
                    {"sudo systemctl stop nvidia-fabricmanager && sudo nvidia-smi --gpu-reset && sudo systemctl start "
                     "nvidia-fabricmanager   (all GPUs: ends every program of the machine)",
                     true}};
        case restart:
            return {{"grep -l 0x10de /sys/bus/pci/devices/*/vendor   (is it still on the bus?)"},
                    {"sudo dmesg | grep -iE 'xid|pcie|aer'"},
                    {"power the machine off and on   (a reboot is not always enough; ends every program of it)", true}};
        case contact:
            return {{"sudo nvidia-bug-report.sh   (makes the report that the vendor asks for)"}};
    }
    return {};
}

std::vector<Xid> counted_xids(std::string_view text) {
    constexpr std::string_view begin = "Xid (";
    std::vector<Xid> found;
    for (auto rest = after(text, begin); !rest.empty(); rest = after(rest, begin)) {
        const auto before = static_cast<std::size_t>(rest.data() - text.data()) - begin.size();
        if (before > 0 && text[before - 1] == 'S') continue;  // an SXid of an NVSwitch
        const auto line = rest.substr(0, 200);
        const auto address_end = line.find("): ");
        const auto number_end = address_end == std::string_view::npos ? address_end : line.find(',', address_end);
        if (number_end == std::string_view::npos) continue;
        const auto number = whole_number<int>(line.substr(address_end + 3, number_end - address_end - 3));
        if (!number) continue;
        auto place = line.substr(0, address_end);
        if (place.starts_with("PCI:")) place.remove_prefix(4);
        count({*number, std::string(place)}, found);
        const auto cause = after(line.substr(0, line.find_first_of("\r\n")), "caused by previous Xid ");
        if (const auto previous = whole_number<int>(cause.substr(0, cause.find_first_not_of("0123456789"))))
            count({*previous, std::string(place)}, found);
    }
    return found;
}

std::string_view recovery_action_in(std::string_view text) {
    auto rest = after(text, "recovery action changed");
    const auto line = rest.substr(0, rest.find_first_of("\r\n"));
    const auto to = after(line, " to ");
    const auto open = to.find('(');
    const auto close = to.find(')');
    return open == std::string_view::npos || close == std::string_view::npos || close < open
               ? ""
               : to.substr(open + 1, close - open - 1);
}

XidAction action_called(std::string_view recovery) {
    const auto words = lower(recovery);
    const auto has = [&](std::string_view each) { return words.find(each) != std::string::npos; };
    if (has("none")) return nothing;
    if (has("reboot")) return restart;
    if (has("drain p2p")) return application;
    return has("reset") ? reset_gpu : see_154;
}

}  // namespace tocuda::doctor
