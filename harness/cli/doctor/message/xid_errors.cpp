// tocuda, Apache-2.0.
// The kernel's log: Xids of GPUs and SXids of NVSwitches, all of a text by what they ask for.
#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/xid_meanings.hpp"

namespace tocuda::doctor {
namespace {

std::string title(std::string_view kind, XidAction action) {
    return action == XidAction::application ? fmt::format("{} of a program", kind)
                                            : fmt::format("{}: {}", kind, word(action));
}

void add_steps(XidAction action, const std::string& gpu, Explanation& told) {
    told.remedies.clear();
    for (auto& [what, hits_others] : steps_for(action, gpu))
        told.remedies.emplace_back(std::move(what), hits_others ? Scope::others : Scope::look);
}

// 79 of "Xid 79" and "xid: 79".
std::optional<std::int64_t> number_of_xid(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at + std::string_view("Xid").size());
    const auto begin = rest.find_first_not_of(": #");
    if (begin == std::string_view::npos || begin > 3 || rest[begin] < '0' || rest[begin] > '9') return std::nullopt;
    return number_after(rest, rest.substr(0, begin));
}

// Of the several Xids of a log the one that asks for most is the answer; the first of equal ones.
void read_xids(std::string_view text, std::size_t at, Explanation& told) {
    auto xids = counted_xids(text);
    if (xids.empty()) return;
    const auto recovery = recovery_action_in(text);
    const auto first = xids.front();  // in time
    std::ranges::stable_sort(xids, std::greater{}, [](const Xid& xid) { return xid_meaning(xid.number).action; });
    const auto action = recovery.empty() ? xid_meaning(xids.front().number).action : action_called(recovery);
    told.error = title("Xid", action);
    for (const auto& xid : xids) {
        const auto [what, wants] = xid_meaning(xid.number);
        if (told.figures.empty() || told.figures.size() < 8) told.figures.push_back({"Xid", xid.number, ""});
        told.arithmetic.push_back(fmt::format("Xid {} of {}{}: {}", xid.number, xid.address,
                                              xid.times > 1 ? fmt::format(" ({} times)", xid.times) : std::string(),
                                              what));
        if (told.arithmetic.size() == 8) break;
    }
    if (!recovery.empty())
        told.arithmetic.push_back(fmt::format("Xid 154 says what the GPU needs now: \"{}\"", recovery));
    add_steps(action, xids.front().address, told);
    const bool same_gpu = first.address == xids.front().address;
    if (same_gpu && xid_meaning(first.number).action == XidAction::application && action > XidAction::application) {
        told.arithmetic.push_back(
            fmt::format("the first was Xid {}, an error of a program: what followed may come from it", first.number));
        told.remedies.emplace_back(
            "update that program, or take the driver with which it ran   (else the GPU fails again after its reset)");
    }
    if (contains(text, "blocked for more than")) {
        told.arithmetic.emplace_back("the kernel tells of tasks that wait without an end, perhaps for this GPU");
        told.remedies.emplace_back(
            "sudo reboot   (if nvidia-smi hangs too: nothing else frees what waits in the driver; ends every program "
            "of "
            "the machine)",
            Scope::others);
    }
    auto begin = text.find(fmt::format("): {},", xids.front().number), at);
    if (begin == std::string_view::npos) begin = text.find(fmt::format("previous Xid {}", xids.front().number), at);
    if (begin == std::string_view::npos) return;
    told.line += static_cast<std::size_t>(std::count(text.begin() + at, text.begin() + begin, '\n'));
    told.quoted = quote(text, begin);
}

// "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 32 LTSSM Fault Up"
void read_sxid(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const auto number = number_after(line, "): ");
    if (!number) return;
    told.figures.push_back({"SXid", *number, ""});
    const auto action = sxid_action(static_cast<int>(*number), line);
    told.error = title("SXid of an NVSwitch", action);
    if (const auto what = sxid_meaning(static_cast<int>(*number)); !what.empty()) told.arithmetic.emplace_back(what);
    if (const auto link = number_after(line, "Link ")) told.arithmetic.push_back(fmt::format("link {}", *link));
    add_steps(action, "0", told);
    told.remedies.insert(told.remedies.begin(),
                         {"sudo grep -i sxid /var/log/fabricmanager.log; sudo dmesg | grep -i xid", Scope::look});
}

// "xid 79", "GPU 0: Xid 79": a question rather than a log.
void read_asked_xid(std::string_view text, std::size_t at, Explanation& told) {
    const auto number = number_of_xid(text, at);
    if (!number) return;
    const auto [what, action] = xid_meaning(static_cast<int>(*number));
    told.error = title("Xid", action);
    told.figures.push_back({"Xid", *number, ""});
    told.arithmetic.push_back(fmt::format("Xid {}: {}", *number, what));
    add_steps(action, "0", told);
}

bool is_no_sxid(std::string_view text, std::size_t at) { return at == 0 || text[at - 1] != 'S'; }

bool is_question(std::string_view text, std::size_t at) {
    constexpr std::size_t longest_question = 200;
    return text.size() <= longest_question && number_of_xid(text, at).has_value();
}

}  // namespace

Functions xid_functions() {
    return {.readings = {{"read_xids", read_xids}, {"read_asked_xid", read_asked_xid}, {"read_sxid", read_sxid}},
            .conditions = {{"is_no_sxid", is_no_sxid}, {"is_question", is_question}}};
}

}  // namespace tocuda::doctor
