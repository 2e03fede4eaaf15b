// tocuda, Apache-2.0.
// Detects throttling from the violation counters and the SM clock.
#include "summary/validity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "model/words.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

constexpr std::array<std::string_view, 2> harmless{"gpu_idle", "application_clocks"};
constexpr std::string_view power_cap = "sw_power_cap";
constexpr double lowest_part_of_usual_clock = 0.95;
constexpr double lowest_part_of_maximum = 0.5;
constexpr double usual_part_of_maximum = 0.9;

template <class Words>
bool contains(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool gives(const Telemetry& telemetry, std::string_view reason) {
    return telemetry.reasons && contains(*telemetry.reasons, reason);
}

bool is_idle(const Telemetry& telemetry) { return gives(telemetry, "gpu_idle"); }

// Returns by how much a counter advanced between the readings; 0 if it decreased, because then it was reset.
std::int64_t advance(const Samples& samples, const std::string& counter) {
    if (!samples.before || !samples.after) return 0;
    const auto before = samples.before->violation_ns.find(counter);
    const auto after = samples.after->violation_ns.find(counter);
    if (before == samples.before->violation_ns.end() || after == samples.after->violation_ns.end()) return 0;
    return std::max<std::int64_t>(after->second - before->second, 0);
}

std::string milliseconds(std::int64_t nanoseconds) {
    const auto rounded = std::llround(static_cast<double>(nanoseconds) / 1e6);
    return rounded == 0 ? "less than 1 ms" : fmt::format("{} ms", rounded);
}

template <class Number>
bool is_below(const std::optional<Number>& seen, const std::optional<Number>& most) {
    return seen && most && *seen < *most;
}

// Whether the value is below this fraction of the maximum that the driver reports.
bool is_below_part(double part, const std::optional<int>& seen, const std::optional<int>& most) {
    return seen && most && *seen < part * *most;
}

// Returns NVML's clock throttle reasons, including harmless ones.
std::string named_reasons(const Telemetry& telemetry) {
    auto words = joined(telemetry.reasons.value_or(std::vector<std::string>{}));
    return words.empty() ? "no reason is given" : words;
}

// Returns a reading of the GPU under load: the one during the samples or, if there is none, the last one that does not
// report the GPU as idle. nullptr if there is none.
const Telemetry* reading_under_load(const Samples& samples) {
    if (samples.during) return &*samples.during;
    const auto& after = samples.after ? samples.after : samples.before;
    return after && !is_idle(*after) ? &*after : nullptr;
}

const Telemetry* reading_of_the_clock(const Samples& samples) {
    for (const auto* reading : {&samples.during, &samples.after, &samples.before})
        if (*reading && (*reading)->sm_clock_mhz) return &**reading;
    return nullptr;
}

// A reason alone proves little: NVML may give one for a moment while the clock changes.
std::string throttled_under_load(const Samples& samples) {
    const auto* loaded = reading_under_load(samples);
    if (!loaded || !is_below_part(usual_part_of_maximum, loaded->sm_clock_mhz, loaded->sm_clock_max_mhz)) return "";
    for (const auto& reason : loaded->reasons.value_or(std::vector<std::string>{}))
        if (contains(throttling, reason))
            return fmt::format("{} held the SM clock down at {} of {} MHz", reason, *loaded->sm_clock_mhz,
                               *loaded->sm_clock_max_mhz);
    return "";
}

// Each sample is a whole number of steps of the timer. The cycles are finer.
bool is_timer_coarse(const Samples& samples) {
    constexpr double most = 0.01;  // of a sample
    if (!samples.tick_seconds || samples.seconds.empty()) return false;
    const auto lasted = median(samples.seconds) * static_cast<double>(std::max<std::int64_t>(1, samples.batch));
    return *samples.tick_seconds > most * lasted;
}

// What NVML reports is not always what a kernel gets: while tensor cores work, an H200 counts 1800 MHz and reports
// 1980.
void add_counted_clock(Flags& flags, const Samples& samples) {
    constexpr double least = 0.95;  // of the reported clock
    const auto* loaded = reading_under_load(samples);
    if (!samples.cycles || samples.seconds.empty() || !loaded || !loaded->sm_clock_mhz) return;
    const auto mhz = *samples.cycles / median(samples.seconds) / 1e6;
    if (!(mhz < least * *loaded->sm_clock_mhz) || is_timer_coarse(samples)) return;
    add_flag(flags,
             {"sm_clock_counted", fmt::format("{} of {} MHz", 10 * std::llround(mhz / 10), *loaded->sm_clock_mhz)});
}

void add_clocks(Flags& flags, const Samples& samples) {
    const auto& before = samples.before;
    if (before && is_below_part(lowest_part_of_maximum, before->sm_clock_counted_mhz, before->sm_clock_max_mhz))
        add_flag(flags, sm_clock_below_half);
    const auto* loaded = reading_under_load(samples);
    if (!loaded) return;
    if (is_idle(*loaded)) add_flag(flags, "idle_under_load");
    const bool below_half = is_below_part(lowest_part_of_maximum, loaded->sm_clock_mhz, loaded->sm_clock_max_mhz);
    if (below_half && !(gives(*loaded, power_cap) && is_power_capped(samples))) add_flag(flags, sm_clock_below_half);
    else if (is_below_part(usual_part_of_maximum, loaded->sm_clock_mhz, loaded->sm_clock_max_mhz))
        add_flag(flags, {"sm_clock_below_90_percent", named_reasons(*loaded)});
    if (is_below(loaded->memory_clock_mhz, loaded->memory_clock_max_mhz)) add_flag(flags, "memory_clock_below_maximum");
}

// The errors that were counted, and the messages that the kernel's log received, between the two readings.
void add_errors(Flags& flags, const Samples& samples) {
    const auto& before = samples.before;
    const auto& after = samples.after;
    if (!before || !after) return;
    for (const auto& [flag, counter] :
         {std::pair("pcie_replays", &Telemetry::pcie_replays), std::pair("ecc_corrected", &Telemetry::ecc_corrected),
          std::pair("ecc_uncorrected", &Telemetry::ecc_uncorrected)})
        if (is_below((*before).*counter, (*after).*counter)) add_flag(flags, flag);
    const auto known = before->xids.value_or(std::vector<int>{}).size();
    const auto xids = after->xids.value_or(std::vector<int>{});
    for (auto i = known; i < xids.size(); ++i) add_flag(flags, {"xid", std::to_string(xids[i])});
}

}  // namespace

std::optional<int> sm_clock_under_load(const Samples& samples) {
    const auto* reading = reading_of_the_clock(samples);
    return !reading || is_idle(*reading) ? std::nullopt : reading->sm_clock_mhz;
}

bool is_power_capped(const Samples& samples) {
    const auto* reading = reading_of_the_clock(samples);
    if (!reading) return false;
    for (const auto reason : throttling)
        if (gives(*reading, reason)) return false;
    return gives(*reading, power_cap) || advance(samples, std::string(power_cap)) > 0;
}

bool is_clocked_down(const Samples& samples, std::optional<double> usual_clock) {
    const auto clock = sm_clock_under_load(samples);
    return clock && usual_clock && *clock <= lowest_part_of_usual_clock * *usual_clock;
}

std::optional<double> usual_sm_clock(std::span<const Samples* const> processes) {
    std::vector<double> clocks;
    for (const auto* samples : processes)
        if (const auto clock = sm_clock_under_load(*samples)) clocks.push_back(*clock);
    if (clocks.empty()) return std::nullopt;
    return median(clocks);
}

std::string why_invalid(const Samples& samples, std::optional<double> usual_clock) {
    if (has_flag(samples.flags, load_ended_early)) return "the load ended before the timed operations had";
    if (!samples.course.empty()) return "";  // how a GPU is throttled meanwhile is what it shows
    for (const auto counter : throttling)
        if (const auto nanoseconds = advance(samples, std::string(counter)); nanoseconds > 0)
            return std::string(counter) + " held the clock down for " + milliseconds(nanoseconds);
    if (auto why = throttled_under_load(samples); !why.empty()) return why;
    if (!is_clocked_down(samples, usual_clock) || is_power_capped(samples)) return "";
    return fmt::format("the SM clock was {} MHz, below the row's usual {}", *sm_clock_under_load(samples),
                       std::llround(*usual_clock));
}

Flags flags_of(const Samples& samples, const PcieLink& link) {
    Flags flags;
    add_flags(flags, samples.flags);
    for (const auto* reading : {&samples.before, &samples.during, &samples.after}) {
        if (!*reading) continue;
        for (const auto& reason : (*reading)->reasons.value_or(std::vector<std::string>{}))
            if (!contains(harmless, reason)) add_flag(flags, reason);
        for (const auto& [counter, nanoseconds] : (*reading)->violation_ns)
            if (!contains(harmless, counter) && advance(samples, counter) > 0) add_flag(flags, counter);
        if ((*reading)->foreign_processes.value_or(0) > 0) add_flag(flags, "foreign_processes");
    }
    add_errors(flags, samples);
    const auto& loaded = samples.during ? samples.during : samples.after;
    if (loaded &&
        (is_below(loaded->link_generation, link.generation_max) || is_below(loaded->link_width, link.width_max)))
        add_flag(flags, "link_below_maximum");
    add_clocks(flags, samples);
    if (is_timer_coarse(samples))
        add_flag(flags, {"coarse_timer", fmt::format("{} ns", std::llround(1e9 * *samples.tick_seconds))});
    add_counted_clock(flags, samples);
    if (is_partly_cached(samples.peak)) add_flag(flags, "partly_in_l2");
    if (const auto held = holding(samples); !held.empty()) add_flag(flags, held);
    return flags;
}

}  // namespace tocuda
