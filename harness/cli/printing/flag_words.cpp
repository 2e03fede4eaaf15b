// tocuda, Apache-2.0.
#include "printing/flag_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "summary/validity.hpp"

namespace tocuda {
namespace {

using Flag = std::pair<std::string_view, std::string_view>;

constexpr std::array<Flag, 28> flags{{
    {"budget", "the time ran out before the row had as many processes as the protocol requires"},
    {"load_ended_early", "the load beside the timed operations ended before they did"},
    {"beside_ended_early", "what ran beside the timed operations ended before they did"},
    {"no gate", "each operation was timed alone, because the gate was off: these times are worthless"},
    {"partly_in_l2", "the L2 cache holds more than a quarter of the data, so there is no share of the memory's peak"},
    {"link_maximum_disputed", "the driver and the system do not agree on how fast the PCIe link can be"},
    {"link_below_maximum", "the PCIe link ran below its maximum generation or width"},
    {"foreign_processes", "other processes used the GPU"},
    {"pcie_replays", "the PCIe link had errors and sent data again"},
    {"ecc_corrected", "the GPU's memory had errors, which were corrected"},
    {"ecc_uncorrected", "the GPU's memory had errors that could not be corrected"},
    {"mig_instance", "this is a MIG instance: other instances share the GPU"},
    {"mps_server", "an MPS server is running: other processes may share the GPU"},
    {"clock_not_seen", "the SM clock could not be read while the GPU was warmed up"},
    {"clock_not_steady", "the SM clock had not become steady when the warm-up ended"},
    {"not_read_under_load", "the clocks under load are unknown: the operations ended before the driver had answered"},
    {"idle_under_load", "the driver called the GPU idle while it was measured"},
    {"sm_clock_below_half", "the SM clock was below half of its maximum"},
    {"memory_clock_below_maximum", "the memory clock was below its maximum"},
    {"sw_power_cap", "the GPU was at its power limit at times, which may have held its clock down"},
    {"hw_slowdown", "the hardware held the clock down"},
    {"hw_thermal", "the hardware held the clock down, because the GPU was too hot"},
    {"hw_power_brake", "the power supply asked the GPU to slow down"},
    {"sw_thermal", "the driver held the clock down, because the GPU was too hot"},
    {"sync_boost", "the clock was held down to that of other GPUs (sync boost)"},
    {"display_clock", "the clock was held down for a display"},
    {"board_limit", "the board's limits held the clock down"},
    {"reliability", "the clock was held down so that the voltage stays reliable"},
}};

constexpr std::string_view below_90 = "sm_clock_below_90_percent (";  // and NVML's reasons
constexpr std::string_view xid = "xid ";                              // and its number

}  // namespace

std::string flag_in_words(const std::string& flag) {
    const auto* const found = std::ranges::find(flags, std::string_view(flag), &Flag::first);
    if (found != flags.end()) return std::string(found->second);
    if (flag.starts_with(below_90))
        return "the SM clock was below 90 % of its maximum (" + flag.substr(below_90.size());
    if (flag.starts_with(coarse_timer))
        return "a step of the timer is more than 1 % of a sample; the cycles are finer (" +
               flag.substr(coarse_timer.size());
    if (flag.starts_with(counted_clock))
        return "the kernel counted a lower SM clock than NVML reports (" + flag.substr(counted_clock.size());
    if (flag.starts_with(xid)) return "the driver wrote Xid " + flag.substr(xid.size()) + " to the kernel's log";
    return flag;
}

}  // namespace tocuda
