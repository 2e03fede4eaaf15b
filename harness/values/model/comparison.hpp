// tocuda, Apache-2.0.
// The input of a comparison and its result. The unit is an independent *start*, because measurements within one start
// are correlated in ways that statistics cannot see. Times are the median of each process; the samples behind it count
// no further.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"
#include "model/summary.hpp"

namespace tocuda {

// Exactly one applies: the first in this order whose condition holds. `slower` and `faster` are sure: they need many
// starts, and assume nothing. The likely ones rest on how much starts vary without any change (`StartNoise`).
enum class ChangeVerdict { invalid, same, slower, faster, likely_slower, likely_faster, undecided };
inline constexpr std::array<std::string_view, 7> change_words{"invalid",       "same",          "slower",   "faster",
                                                              "likely slower", "likely faster", "undecided"};
constexpr std::string_view word(ChangeVerdict verdict) { return change_words[static_cast<std::size_t>(verdict)]; }
constexpr bool is_change(ChangeVerdict verdict) {
    return verdict == ChangeVerdict::slower || verdict == ChangeVerdict::faster;
}
constexpr bool is_likely(ChangeVerdict verdict) {
    return verdict == ChangeVerdict::likely_slower || verdict == ChangeVerdict::likely_faster;
}

// An independent start: a session or, if drivers are compared, all sessions of one boot and driver load.
struct Start {
    std::string name{};  // for display: a session's id
    // Seconds; only of processes that count. Of several GPUs: one for each, of its processes (`together`).
    std::vector<double> process_medians{};
    std::uint32_t place = 0;  // in order of time
    std::uint32_t load = 0;   // starts of one boot and driver load have the same
    int processes = 0;        // behind the medians; 0: as many

    bool operator==(const Start&) const = default;
};

// How a row varies between starts when nothing changed: each group holds the starts of one GPU with equal software, in
// order of time. Differences between groups are not part of the variance.
struct History {
    std::vector<std::vector<Start>> groups{};
    std::string of{};          // whose history: "this GPU's history", "the history of 12 GPUs NVIDIA H200"
    std::size_t borrowed = 0;  // the last groups: of other machines
    int machines = 0;          // that the groups are of

    bool operator==(const History&) const = default;
};

// What the processes alone contribute to the error of a change, estimated from how those of one start differ.
struct ProcessNoise {
    double error = 0;
    int freedom = 0;  // 0: not known

    bool operator==(const ProcessNoise&) const = default;
};

// By how much one of several GPUs of a host changed.
struct GpuChange {
    std::string host{};  // empty: there is only one, or its name is not recorded
    std::string gpu{};   // UUID
    double change = 0;

    bool operator==(const GpuChange&) const = default;
};

struct ComparedRow {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    Device device = Device::none;
    Clock clock = Clock::device;
    std::string gpu{};
    std::string peer{};
    std::string invalid{};  // why nothing can be compared (throttled, a wrong result); empty otherwise
    std::vector<Start> before{};
    std::vector<Start> after{};
    History history{};      // excludes the two sides
    int gpus = 1;           // of one machine, all of which the starts are medians of; `gpu` is empty for several
    bool two_gpus = false;  // the sides have one each, and not the same
    bool is_part = false;   // a GPU or a host of a row of several: it can only be sure, or is left out
    bool in_turns = false;  // the starts of the two sides alternate in time, so that drift is on both
    std::string host{};     // empty: not recorded
    std::string block{};    // of its host, where blocks are the witnesses
    std::vector<ComparedRow> hosts{};      // the row on each of several machines, which then are the witnesses
    std::vector<ComparedRow> controls{};   // the row on machines that kept the driver which those do not have now
    std::optional<double> drift{};         // of the old side, from before the new one to after it, on the log scale
    std::vector<GpuChange> gpu_changes{};  // of several GPUs, on the log scale; those of a host are neighbours
    std::optional<ProcessNoise> process_noise{};  // of several GPUs
    std::optional<double> assumed_noise{};        // the standard deviation of starts, if it is taken as known

    bool operator==(const ComparedRow&) const = default;
};

// A row of a quantile of single operations, which has it as a parameter.
inline constexpr const char* tail_parameter = "quantile";
inline bool is_tail(const ComparedRow& row) { return row.parameters.contains(tail_parameter); }

struct ComparisonRules {
    double level = 0.01;          // how often a whole comparison of equal sides may raise any alarm (Holm)
    double listing_level = 0.05;  // for the list of rows that deserve another look (Benjamini and Hochberg)
    double same_level = 0.90;     // of the interval that must lie inside the margin
    double margin = 0.005;        // smaller differences are no change; raised to the row's own changes in its history
    int starts_min = 3;           // per side
    int freedom_min = 20;         // of the variance between starts
    double power = 0.9;           // used for `detectable`
    double likely_level = 0.015;  // how often a whole comparison may call anything likely, if the noise is as recorded
    int likely_freedom_min = 10;  // of the noise that a likely answer rests on
    int machines_min = 3;         // that it must come from, if not from this one
    int hosts_min = 8;            // that are sure of a change by how much they agree
};

// By how much starts after a boot or driver load of their own vary when nothing changes, and how that is known.
struct StartNoise {
    double spread = 0;  // standard deviation of the logarithms: 0.004 is 0.4 %
    int freedom = 0;    // 0: taken as known
    std::string of{};   // "recorded of this GPU", "assumed"

    bool operator==(const StartNoise&) const = default;
};

// An assumed noise is that of starts alone: it says nothing where that of processes is not known.
inline bool can_assume(const ProcessNoise& processes) { return processes.freedom > 0; }

// What changed on one of several machines, or in one of several blocks of them.
struct HostChange {
    std::string host{};
    double change = 0;
    bool kept_driver = false;  // while others changed theirs
    bool set_aside = false;    // so far from the others, in this row or in all, that it is no part of their mean

    bool operator==(const HostChange&) const = default;
};

// A row's answer. `change` is new / old - 1 of time: 0.03 is 3 % slower.
struct RowChange {
    ChangeVerdict verdict = ChangeVerdict::undecided;
    std::optional<double> change{};
    std::optional<Range> interval{};         // of the change, adjusted for the family of rows
    std::optional<double> interval_level{};  // 1 - rules.level before the adjustment
    std::optional<double> detectable{};      // the smallest |change| that this data could have shown, if any
    double margin = 0;                       // the margin that was applied
    int freedom = 0;
    int starts_before = 0, starts_after = 0;
    int processes_before = 0, processes_after = 0;
    std::vector<HostChange> hosts{};          // of several machines, the slowest first; `change` is then their mean
    std::vector<HostChange> unlike{};         // in this row, of those that surely changed otherwise than all others
    std::size_t apart = 0;                    // the first so many hosts are a group, far from all others; 0: one group
    bool by_block = false;                    // both are blocks
    std::vector<GpuChange> unlike_gpus{};     // that surely changed otherwise than the others of their host
    std::vector<HostChange> controls{};       // hosts (or blocks) that kept the driver which `hosts` do not have now
    std::optional<double> controls_change{};  // of those; subtracted from `change` if they are enough
    bool less_controls = false;               // whether it was subtracted
    std::optional<double> drift{};  // of the old driver, if it was measured again on each host after the new one
    // Whether what else came with time cannot be the cause: it was subtracted, or the old driver did not change by it.
    bool is_separated = false;
    std::optional<StartNoise> start_noise{};
    bool assumption_unused = false;        // a noise was to be assumed, which says nothing of this row
    int noise_freedom = 0;                 // of the boots and driver loads that it would rest on, if it is absent
    std::optional<double> chance_above{};  // if starts vary by more than this, the change may be chance
    std::optional<double> not_excluded{};  // of an undecided row: the largest slow-down that it may (likely) have
    bool worth_a_look = false;             // not confirmed, but on the longer list
    int starts_missing = 0;  // more starts needed for a firmer answer, both sides together; 0: useless or unknown
    std::string because{};

    bool operator==(const RowChange&) const = default;
};

// Of several hosts, in the order of their changes, that in the middle, of two the smaller: some hosts that changed are
// not all of them.
inline std::optional<double> middle_change(std::vector<HostChange> hosts) {
    std::erase_if(hosts, [](const HostChange& one) { return one.set_aside; });
    if (hosts.size() < 2) return std::nullopt;
    const double one = hosts[hosts.size() / 2].change, other = hosts[(hosts.size() - 1) / 2].change;
    return std::abs(one) < std::abs(other) ? one : other;
}

// Hosts that were set aside are witnesses of nothing but themselves.
inline int count_witnesses(const std::vector<HostChange>& hosts) {
    return static_cast<int>(std::ranges::count(hosts, false, &HostChange::set_aside));
}

// Whether the hosts of a row are enough to show by their differences how it varies, so that no other noise is asked.
inline bool has_noise_of_hosts(const RowChange& answer) {
    return count_witnesses(answer.hosts) >= ComparisonRules{}.hosts_min;
}

// Whether not only some of the hosts changed, where there are several.
inline bool did_most_change(const RowChange& answer) {
    auto middle = middle_change(answer.hosts);
    if (!middle) return true;
    if (answer.less_controls) *middle -= *answer.controls_change;
    return *middle * answer.change.value_or(0) > 0 && std::abs(*middle) > answer.margin;
}

// What an undecided row would become if its change were confirmed. nullopt if the row is decided, or if its change is
// unknown or within the margin.
inline std::optional<ChangeVerdict> leaning(const RowChange& answer) {
    const double change = answer.change.value_or(0);
    if (answer.verdict != ChangeVerdict::undecided || std::abs(change) <= answer.margin) return std::nullopt;
    if (!did_most_change(answer)) return std::nullopt;
    return change > 0 ? ChangeVerdict::slower : ChangeVerdict::faster;
}

}  // namespace tocuda
