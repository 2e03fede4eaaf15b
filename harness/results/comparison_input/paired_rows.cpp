// tocuda, Apache-2.0.
#include "comparison_input/paired_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "comparison_input/host_groups.hpp"
#include "comparison_input/machines.hpp"
#include "comparison_input/row_history.hpp"
#include "comparison_input/run_fields.hpp"
#include "comparison_input/two_models.hpp"
#include "comparison_rules/row_comparison.hpp"
#include "comparison_rules/together.hpp"
#include "model/row.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

using Sections = std::vector<GatheredSection>;

std::set<std::string> drivers_of(const Sections& sections) {
    std::set<std::string> drivers;
    for (const auto& section : sections)
        drivers.insert(section.run.driver.kernel_module.value_or("") + " " + section.run.driver.cuda.value_or(""));
    return drivers;
}

void forget_sides_in_history(GatheredSides& sides) {
    std::set<std::string> runs;
    for (const auto* sections : {&sides.before, &sides.after})
        for (const auto& section : *sections) runs.insert(section.run.run);
    std::erase_if(sides.history, [&](const GatheredSection& section) { return runs.contains(section.run.run); });
}

ComparedSide side_of(const Sections& sections, const SideStarts& starts) {
    ComparedSide side{.starts = static_cast<int>(starts.names.size())};
    for (const auto& section : sections) side.runs.push_back({section.run, section.digest});
    return side;
}

// Times that are equal to the byte were not measured independently: on simulated GPUs without noise, or in a copy whose
// run line was changed. Keeps the first of them; returns how many were dropped.
int drop_repeated(Sections& sections) {
    std::set<std::uint64_t> known;
    return static_cast<int>(std::erase_if(sections, [&](const GatheredSection& section) {
        return section.times != 0 && !known.insert(section.times).second;
    }));
}

AnsweredRow row_of(const RowKey& key, const RowCell& cell, const RowNames& names, CountedStarts before,
                   CountedStarts after) {
    const auto& time = *cell.of(Side::after).front().time;
    const auto& name = names.name(time.row);
    AnsweredRow one{.row = {.benchmark = key.benchmark,
                            .parameters = name.parameters,
                            .id = key.id,
                            .device = key.device,
                            .clock = key.clock,
                            .gpu = names.gpu(time.gpu).uuid,
                            .peer = names.gpu(time.peer).uuid}};
    if (!before.invalid.empty()) one.row.invalid = "old: " + before.invalid;
    else if (!after.invalid.empty()) one.row.invalid = "new: " + after.invalid;
    one.row.two_gpus = cell.of(Side::before).front().time->gpu != time.gpu;
    one.seconds_before = before.seconds;
    one.seconds_after = after.seconds;
    one.rate = name.rate;
    if (before.clock_mhz && after.clock_mhz) one.clock_change = *after.clock_mhz / *before.clock_mhz - 1;
    add_flags(one.flags, before.flags);
    add_flags(one.flags, after.flags);
    one.row.before = std::move(before.starts);
    one.row.after = std::move(after.starts);
    return one;
}

std::optional<double> median_of(std::span<const AnsweredRow> rows, std::optional<double> AnsweredRow::* member) {
    std::vector<double> values;
    for (const auto& one : rows)
        if (one.*member) values.push_back(*(one.*member));
    return values.empty() ? std::nullopt : std::optional(median(values));
}

// The row of several others: of what is shown beside the answer their medians, and all their flags.
AnsweredRow joined(ComparedRow row, std::span<const AnsweredRow> parts) {
    AnsweredRow all{.row = std::move(row), .rate = parts.empty() ? std::nullopt : parts.front().rate};
    for (const auto member : {&AnsweredRow::seconds_before, &AnsweredRow::seconds_after, &AnsweredRow::clock_change})
        all.*member = median_of(parts, member);
    for (const auto& one : parts) add_flags(all.flags, one.flags);
    return all;
}

AnsweredRow all_gpus(std::span<const AnsweredRow> gpus) {
    std::vector<ComparedRow> rows;
    for (const auto& one : gpus) rows.push_back(one.row);
    auto all = joined(together(rows), gpus);
    for (const auto& one : gpus) {
        if (!one.seconds_before || !one.seconds_after) continue;
        const double change = *one.seconds_after / *one.seconds_before - 1;
        all.row.gpu_changes.push_back({.gpu = one.row.gpu, .change = std::log1p(change)});
        if (!all.of_gpus) all.of_gpus = Range{change, change};
        all.of_gpus = Range{std::min(all.of_gpus->low, change), std::max(all.of_gpus->high, change)};
    }
    return all;
}

// The cells of one row: of each machine those of its GPUs, which have everything in common but the GPUs.
using NamedRow = std::map<std::uint32_t, Members>;

std::vector<NamedRow> named_rows(const RowNames& names, const RowCells& cells, const Machines& machines) {
    std::vector<NamedRow> rows;
    std::map<std::pair<std::string, bool>, std::size_t> places;  // of the current name, by model and whether paired
    const RowKey* last = nullptr;
    for (const auto& one : cells) {
        const auto& [key, cell] = one;
        const auto side = cell.of(Side::before).empty() ? Side::after : Side::before;
        if (cell.of(side).empty()) continue;
        const auto name = [](const RowKey& of) {
            return std::tie(of.benchmark, of.parameters, of.id, of.protocol, of.device, of.clock);
        };
        if (!last || name(*last) != name(key)) places.clear();
        last = &key;
        const auto& first = cell.of(side).front();
        const auto [found, is_new] =
            places.try_emplace({names.gpu(first.time->gpu).model, !key.peer.empty()}, rows.size());
        if (is_new) rows.emplace_back();
        rows[found->second][machines.of(side, first.section)].push_back(&one);
    }
    return rows;
}

// What `pair_rows` works with.
struct Pairing {
    const RowNames& names;
    const SideStarts& before;
    const SideStarts& after;
    int needed_freedom;
    RowHistories& histories;
    UnpairedRows& unpaired;
    const Machines& machines;
    const Blocks& blocks;
    const Controls& controls;
};

void add_history(AnsweredRow& one, const Members& members, const Pairing& with) {
    const auto own_freedom = static_cast<int>(one.row.before.size() + one.row.after.size()) - 2;
    if (one.row.invalid.empty())
        one.row.history = with.histories.of(members, std::max(own_freedom, 0), with.needed_freedom);
}

// Returns the row of all GPUs of a machine, if there are several, and that of each.
std::vector<AnsweredRow> rows_of(const Members& members, const Pairing& with) {
    std::vector<AnsweredRow> valid, invalid;
    Members valid_members;
    for (const auto* member : members) {
        const auto& [key, cell] = *member;
        auto old_side = count_starts(cell.of(Side::before), with.names, with.before);
        auto new_side = count_starts(cell.of(Side::after), with.names, with.after);
        if (with.unpaired.take(key, cell, old_side, new_side)) continue;
        auto row = row_of(key, cell, with.names, std::move(old_side), std::move(new_side));
        if (!row.row.invalid.empty()) {
            invalid.push_back(std::move(row));
            continue;
        }
        valid.push_back(std::move(row));
        valid_members.push_back(member);
    }
    std::vector<AnsweredRow> rows;
    if (valid.size() > 1) {
        rows.push_back(all_gpus(valid));
        add_history(rows.back(), valid_members, with);
    }
    for (std::size_t i = 0; i < valid.size(); ++i) {
        valid[i].row.is_part = valid.size() > 1;
        add_history(valid[i], {valid_members[i]}, with);
        rows.push_back(std::move(valid[i]));
    }
    for (auto& one : invalid) rows.push_back(std::move(one));
    return rows;
}

// What machines have in common is one row, of which they are the witnesses; those that kept their driver are not.
AnsweredRow all_hosts(std::span<const AnsweredRow> hosts, std::span<const AnsweredRow> controls) {
    const auto& first = hosts.front().row;
    ComparedRow row{.benchmark = first.benchmark,
                    .parameters = first.parameters,
                    .id = first.id,
                    .device = first.device,
                    .clock = first.clock};
    row.gpus = 0;
    for (const auto& one : hosts) {
        row.gpus += one.row.gpus;
        row.before.insert(row.before.end(), one.row.before.begin(), one.row.before.end());
        row.after.insert(row.after.end(), one.row.after.begin(), one.row.after.end());
        row.hosts.push_back(one.row);
    }
    for (const auto& one : controls) row.controls.push_back(one.row);
    row.in_turns = std::ranges::all_of(row.hosts, &ComparedRow::in_turns);
    for (const auto& some : {hosts, controls})
        for (const auto& one : some)
            row.gpu_changes.insert(row.gpu_changes.end(), one.row.gpu_changes.begin(), one.row.gpu_changes.end());
    return joined(std::move(row), hosts);
}

// By how much the old side changed from before the new one to after it.
std::optional<double> drift_of(const ComparedRow& row, const Pairing& with) {
    std::set<std::uint32_t> late;
    for (std::uint32_t section = 0; section < with.before.of_section.size(); ++section)
        if (with.controls.is_late(section)) late.insert(with.before.of_section[section]);
    std::vector<Start> earlier, later;
    for (const auto& start : row.before) (late.contains(start.place) ? later : earlier).push_back(start);
    const auto from = level_of(earlier), to = level_of(later);
    return from && to ? std::optional(*to - *from) : std::nullopt;
}

// Enough of them speak for each other: one that is unlike them is found by all its rows together. Its own starts, which
// share whatever drifts, say less.
bool are_enough(const std::vector<AnsweredRow>& hosts) {
    std::set<std::string> blocks;
    for (const auto& one : hosts) blocks.insert(one.row.block.empty() ? one.row.host : one.row.block);
    return static_cast<int>(blocks.size()) >= ComparisonRules{}.hosts_min;
}

// Returns the row of all machines, if there are several, then, of few, the rows of each.
std::vector<AnsweredRow> rows_of(const NamedRow& named, const Pairing& with) {
    std::vector<AnsweredRow> rows, hosts, controls;
    for (const auto& [machine, members] : named) {
        auto own = rows_of(members, with);
        for (auto& one : own) {
            one.row.host = with.machines.host(machine);
            one.row.block = with.blocks.of(machine);
            one.row.in_turns = with.controls.alternates(machine);
            for (auto& gpu : one.row.gpu_changes) gpu.host = one.row.host;
        }
        if (!own.empty() && with.controls.rolled_back()) own.front().row.drift = drift_of(own.front().row, with);
        if (!own.empty() && own.front().row.invalid.empty() && !with.controls.is_left_out(machine))
            (with.controls.has(machine) ? controls : hosts).push_back(own.front());
        rows.insert(rows.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    }
    if (hosts.empty() || hosts.size() + controls.size() < 2) return rows;
    if (are_enough(hosts)) std::erase_if(rows, [](const AnsweredRow& one) { return one.row.invalid.empty(); });
    for (auto& one : rows) one.row.is_part = one.row.invalid.empty();
    rows.insert(rows.begin(), all_hosts(hosts, controls));
    return rows;
}

std::vector<std::string> common(std::vector<std::string> left, std::vector<std::string> right) {
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    std::vector<std::string> both;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
    return both;
}

bool lacks_driver(const Sections& sections) {
    return std::ranges::any_of(sections, [](const GatheredSection& section) {
        return section.run.imported && !section.run.driver.kernel_module;
    });
}

Attribution attribution_of(const GatheredSides& sides, const GpuPairs& gpus, const Machines& machines,
                           const Controls& controls) {
    for (const auto side : {Side::before, Side::after})
        if ((side == Side::before ? sides.before : sides.after).empty())
            return {.text = "not known: nothing was read on the " + word_of(side) + " side"};
    const auto counts = [&](Side side) {
        return [&, side](std::uint32_t section) { return controls.is_compared(machines.of(side, section)); };
    };
    auto before = side_fields(sides.before, gpus.before, counts(Side::before));
    auto after = side_fields(sides.after, gpus.after, counts(Side::after));
    // If only one side has unpaired GPUs, the others are still comparable; those rows are listed as being on one side
    // only. So are those of hosts that only one side has.
    const bool are_hosts = !gpus.pairs.empty() && machines.count(Side::before) > 1 && machines.count(Side::after) > 1;
    if (!are_hosts && !gpus.alone_before.empty() && !gpus.alone_after.empty()) {
        before.add({{"gpus", gpus.alone_before}});
        after.add({{"gpus", gpus.alone_after}});
    }
    auto attribution = attribute(before, after);
    const bool lacks = lacks_driver(sides.before) || lacks_driver(sides.after);
    if (attribution.changed.empty() && controls.driver_changed() && !lacks)
        attribution.text = "the driver changed in both directions: compare the hosts of each alone";
    if (lacks) {
        attribution.text += "; not attributable to a driver: imported, and the driver is not named";
        attribution.only.reset();
    }
    return attribution;
}

// A single GPU or host says more than all of them together only if it surely changed, and they did not.
void keep_parts_that_differ(std::vector<AnsweredRow>& rows) {
    std::optional<ChangeVerdict> all;  // of the row whose parts follow
    std::erase_if(rows, [&](const AnsweredRow& one) {
        const auto verdict = one.change.verdict;
        if (!one.row.is_part && verdict != ChangeVerdict::invalid) all = verdict;
        return one.row.is_part && !(all && verdict != *all && is_change(verdict));
    });
}

std::vector<std::string> gpu_words(const GpuPairs& gpus) {
    std::vector<std::string> words;
    for (const auto& [before, after] : gpus.pairs) {
        const auto model = after.model.empty() ? "a GPU" : after.model;
        const int number = gpus.number_before(before);
        const auto several =
            std::ranges::count_if(gpus.after, [number](const auto& one) { return one.second == number; });
        const auto name = several > 1 ? fmt::format("{} GPUs", several) : after.uuid;
        words.push_back(before == after ? model + " (" + after.uuid + ")"
                                        : model + " (" + before.uuid + " against " + name + ")");
    }
    return words;
}

void look_at_sections(const GatheredSides& sides, ChangeReport& report) {
    for (const auto* sections : {&sides.before, &sides.after})
        for (const auto& section : *sections) {
            report.simulated = report.simulated || section.run.device == Device::simulated;
            report.cut_off += section.whole ? 0 : 1;
        }
}

}  // namespace

ChangeReport pair_rows(const RowNames& names, GatheredSides& sides, int needed_freedom,
                       const std::function<void(AnsweredRow&)>& on_row) {
    forget_sides_in_history(sides);
    ChangeReport report;
    report.had_both_drivers = drop_old_driver(sides.before, sides.after);
    report.by_driver_load = drivers_of(sides.before) != drivers_of(sides.after);
    const auto before = starts_of(sides.before, report.by_driver_load);
    const auto after = starts_of(sides.after, report.by_driver_load);
    const auto history = starts_of(sides.history, report.by_driver_load);
    report.before = side_of(sides.before, before);
    report.after = side_of(sides.after, after);
    report.same_starts = common(before.names, after.names);
    const auto gpus = pair_gpus(names, sides.before, sides.after, sides.against_recorded);
    report.gpus = gpu_words(gpus);
    const std::array sources{CellSource{Side::before, sides.before, &before},
                             CellSource{Side::after, sides.after, &after},
                             CellSource{Side::history, sides.history, &history}};
    const Machines machines(sources);
    report.machines = static_cast<int>(std::min(machines.count(Side::before), machines.count(Side::after)));
    const auto cells = row_cells(names, sources, gpus, [&](Side side, std::uint32_t section) {
        return report.machines > 1 ? std::to_string(machines.of(side, section)) : "";
    });
    RowHistories histories(names, cells, sources, machines);
    UnpairedRows unpaired(cells);
    const Blocks blocks(sources, machines, sides.block);
    const Controls controls(sources, machines);
    const Pairing with{names, before, after, needed_freedom, histories, unpaired, machines, blocks, controls};
    for (const auto& named : named_rows(names, cells, machines))
        for (auto& row : rows_of(named, with)) {
            if (on_row) on_row(row);
            report.rows.push_back(std::move(row));
        }
    report.unpaired = unpaired.said();
    look_at_sections(sides, report);
    add_host_changes(names, sides.before, sides.after, gpus, report);
    report.claims = claim_changes(sides.before, sides.after);
    report.attribution = attribution_of(sides, gpus, machines, controls);
    report.rolled_back = controls.rolled_back();
    report.left_out = static_cast<int>(controls.count_left_out());
    return report;
}

ChangeReport compare_sides(const RowNames& names, GatheredSides& sides, const ComparisonRules& rules,
                           const AssumedNoise& assumed) {
    std::vector<RowEstimate> estimates;
    const int repeated_before = drop_repeated(sides.before);
    const int repeated_after = drop_repeated(sides.after);
    drop_repeated(sides.history);
    auto report = pair_rows(names, sides, rules.freedom_min, [&](AnsweredRow& one) {
        // Tails differ more between starts than what --start-noise is said of.
        if (assumed && !is_tail(one.row)) one.row.assumed_noise = assumed(one.row.benchmark);
        estimates.push_back(estimate(one.row, rules));
        one.row.history.groups = {};  // in a fleet it is as large as the sides of all others: only one is kept
        one.row.hosts = {};
        one.row.controls = {};
        one.row.gpu_changes = {};
    });
    report.before.repeated = repeated_before;
    report.after.repeated = repeated_after;
    const auto changes = compare_estimates(std::move(estimates), rules);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        report.rows[i].change = changes.at(i);
        withhold_from_same_starts(report.rows[i], report.same_starts);
        withhold_without_host(report.rows[i], report);
    }
    keep_parts_that_differ(report.rows);
    show_two_models(names, sides.before, sides.after, report);
    say_what_lacks_noise(report);
    add_apart_hosts(report);
    tell_cause(report);
    report.is_backwards = !report.models && !report.before.runs.empty() && !report.after.runs.empty() &&
                          report.after.runs.back().run.time < report.before.runs.front().run.time;
    return report;
}

bool has_verdict(const ChangeReport& report, ChangeVerdict verdict) {
    return std::ranges::any_of(report.rows, [&](const AnsweredRow& one) { return one.change.verdict == verdict; });
}

bool has_findings(const ChangeReport& report) {
    return has_verdict(report, ChangeVerdict::slower) || std::ranges::any_of(report.rows, fails_now) ||
           std::ranges::any_of(report.apart, &ApartHost::is_sure) || !report.claims.verdicts.empty() ||
           !report.claims.texts.empty();
}

bool compared_anything(const ChangeReport& report) {
    const auto is_valid = [](const AnsweredRow& one) { return one.change.verdict != ChangeVerdict::invalid; };
    return report.claims.compared > 0 || std::ranges::any_of(report.rows, is_valid);
}

}  // namespace tocuda
