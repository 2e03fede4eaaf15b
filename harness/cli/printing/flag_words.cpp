// tocuda, Apache-2.0.
#include "printing/flag_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "summary/validity.hpp"

namespace tocuda {
namespace {

using Sentence = std::pair<std::string_view, std::string_view>;

constexpr std::array<Sentence, 34> sentences{{
    {"budget", "the time ran out before the row had as many processes as the protocol requires"},
    {"load_ended_early", "the load beside the timed operations ended before they did"},
    {"beside_ended_early", "what ran beside the timed operations ended before they did"},
    {"no_gate", "each operation was timed alone, because the gate was off: these times are worthless"},
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
    {"xid", "the driver wrote an Xid to the kernel's log"},
    {"sm_clock_below_90_percent", "the SM clock was below 90 % of its maximum"},
    {"sm_clock_counted", "the kernel counted a lower SM clock than NVML reports"},
    {"coarse_timer", "a step of the timer is more than 1 % of a sample; the cycles are finer"},
    {"affinity_not_set", "the process was not kept to the processors and memory near the GPU"},
    {chosen_flag, "the variant that was chosen for such GPUs"},
    {"reliability", "the clock was held down so that the voltage stays reliable"},
}};

}  // namespace

std::string flag_in_words(const Flag& flag) {
    const auto* const found = std::ranges::find(sentences, flag.code, &Sentence::first);
    if (found == sentences.end()) return flag.text();
    return Flag{std::string(found->second), flag.detail}.text();
}

}  // namespace tocuda
