// tocuda, Apache-2.0.
// Reads telemetry lines, and finds the one that holds.
#include "profile/telemetry.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "profile/words.hpp"

namespace tocuda::stand_in {
namespace {

constexpr double busy_lasts = 0.05;

constexpr std::array<std::string_view, 10> number_fields{"sm_clock_mhz", "memory_clock_mhz", "temperature_c",       "power_mw",
                                                         "pcie_generation", "pcie_width",    "utilization_percent", "ecc_corrected",
                                                         "ecc_uncorrected", "pcie_replays"};
constexpr std::array<std::string_view, 10> policies{"power",           "thermal",     "sync_boost",       "board_limit",
                                                    "low_utilization", "reliability", "total_app_clocks", "total_base_clocks",
                                                    "hw_thermal",      "hw_power_brake"};
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 10> reasons{{{"none", 0},
                                                                              {"gpu_idle", 0x1},
                                                                              {"application_clocks", 0x2},
                                                                              {"sw_power_cap", 0x4},
                                                                              {"hw_slowdown", 0x8},
                                                                              {"sync_boost", 0x10},
                                                                              {"sw_thermal", 0x20},
                                                                              {"hw_thermal", 0x40},
                                                                              {"hw_power_brake", 0x80},
                                                                              {"display_clock", 0x100}}};

// Calls it with each part; false as soon as it answers false.
template <typename Take>
bool each_part(std::string_view text, Take&& take) {
    while (true) {
        const auto comma = text.find(',');
        if (!take(text.substr(0, comma))) return false;
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

bool read_seconds(std::string_view text, double& target) {
    const auto seconds = number_of<double>(text);
    if (!seconds || !(*seconds >= 0)) return false;
    target = *seconds;
    return true;
}

bool read_condition(std::string_view word, TelemetryMoment& moment) {
    constexpr std::string_view of_process = "process=";
    constexpr std::string_view after_work = "work+";
    if (word == "busy") return moment.while_busy = true;
    if (word == "work") {
        moment.after_work_seconds = 0;
        return true;
    }
    if (word.starts_with(after_work)) return read_seconds(word.substr(after_work.size()), moment.after_work_seconds);
    if (word.starts_with(of_process)) return (moment.process = number_of<std::uint64_t>(word.substr(of_process.size()))).has_value();
    if (word.ends_with('s')) return read_seconds(word.substr(0, word.size() - 1), moment.after_seconds);
    const auto reading = number_of<std::uint64_t>(word);
    moment.reading = reading.value_or(0);
    return reading.has_value();
}

bool is_value_of(std::string_view field, std::string_view value) {
    constexpr std::string_view violation = "violation_ns.";
    if (field == "reasons") return clock_reasons(value).has_value();
    if (field == "processes") return other_processes(value).has_value();
    const bool known = field.starts_with(violation) ? std::ranges::count(policies, field.substr(violation.size())) != 0
                                                    : std::ranges::count(number_fields, field) != 0;
    return known && number_of<std::uint64_t>(value).has_value();
}

bool holds(const TelemetryMoment& moment, const TelemetryNow& now) {
    const bool worked = now.work_begin >= 0;
    if (now.reading < moment.reading || now.seconds < moment.after_seconds) return false;
    if (moment.process && *moment.process != now.process) return false;
    if (moment.while_busy && (!worked || now.seconds > now.work_end + busy_lasts)) return false;
    return moment.after_work_seconds < 0 || (worked && now.seconds >= now.work_begin + moment.after_work_seconds);
}

}  // namespace

std::optional<TelemetryLine> telemetry_line(std::string_view text) {
    TelemetryLine line;
    const auto moment = word_of(text);
    line.field = word_of(text);
    line.value = word_of(text);
    if (line.value.empty() || !word_of(text).empty() || !is_value_of(line.field, line.value)) return std::nullopt;
    const bool read = each_part(moment, [&](std::string_view word) { return read_condition(word, line.moment); });
    return read ? std::optional(std::move(line)) : std::nullopt;
}

std::optional<std::string> telemetry_value(const std::vector<TelemetryLine>& lines, std::string_view field, const TelemetryNow& now) {
    const auto found = std::find_if(lines.rbegin(), lines.rend(),
                                    [&](const TelemetryLine& line) { return line.field == field && holds(line.moment, now); });
    return found == lines.rend() ? std::nullopt : std::optional(found->value);
}

std::optional<std::uint64_t> clock_reasons(std::string_view words) {
    std::uint64_t bits = 0;
    const bool read = each_part(words, [&](std::string_view word) {
        const auto known = std::ranges::find(reasons, word, [](const auto& reason) { return reason.first; });
        if (known != reasons.end()) bits |= known->second;
        return known != reasons.end();
    });
    return read ? std::optional(bits) : std::nullopt;
}

std::optional<std::vector<OtherProcess>> other_processes(std::string_view text) {
    std::vector<OtherProcess> others;
    if (text == "none") return others;
    const bool read = each_part(text, [&](std::string_view part) {
        const auto colon = part.find(':');
        if (colon == std::string_view::npos) return false;
        const auto pid = number_of<unsigned>(part.substr(0, colon));
        const auto bytes = number_of<std::uint64_t>(part.substr(colon + 1));
        others.push_back({pid.value_or(0), bytes.value_or(0)});
        return pid && bytes;
    });
    return read ? std::optional(std::move(others)) : std::nullopt;
}

}  // namespace tocuda::stand_in
