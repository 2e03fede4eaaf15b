// tocuda, Apache-2.0.
// What a comparison says of single hosts and GPUs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "printing/change_table.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {

namespace {

// "node05 (kept the driver) +5.0 % in 20 rows"
std::string apart_host_words(const ApartHost& one, const char* claim) {
    return fmt::format("{}{}{} {:+.1f} % in {}", host_name(one.host), one.kept_driver ? " (kept the driver)" : "",
                       claim, 100 * one.change, counted(one.rows, "row"));
}

}  // namespace

std::string host_name(const std::string& host) { return host.empty() ? "(unnamed)" : host; }

std::vector<std::string> apart_words(const RowChange& change) {
    std::vector<std::string> lines;
    for (const auto& one : change.unlike)
        lines.push_back(fmt::format("{}{} unlike the rest: {:+.1f} %", host_name(one.host),
                                    one.kept_driver ? " (kept the driver)" : "", 100 * one.change));
    for (const auto& [host, gpu, by] : change.unlike_gpus)
        lines.push_back(fmt::format("{}{}{} unlike the others of its host: {:+.1f} %", host, host.empty() ? "" : " ",
                                    gpu, 100 * by));
    return lines;
}

std::string groups_words(const RowChange& change) {
    if (change.apart == 0) return "";
    const auto group = [&](std::span<const HostChange> hosts) {
        return fmt::format("{} {:+.1f} to {:+.1f} %", counted(std::ssize(hosts), change.by_block ? "block" : "host"),
                           100 * hosts.back().change, 100 * hosts.front().change);
    };
    const auto first = std::span(change.hosts).first(change.apart),
               second = std::span(change.hosts).subspan(change.apart);
    const auto& fewer = first.size() <= second.size() ? first : second;
    std::vector<std::string> names;
    for (const auto& one : fewer) names.push_back(host_name(one.host));
    std::ranges::sort(names);
    return fmt::format("two groups: {} ({}), {}", group(fewer), listed(names),
                       group(&fewer == &first ? second : first));
}

// Of the row whose groups are farthest apart.
std::string all_groups_words(const ChangeReport& report) {
    const RowChange* widest = nullptr;
    double most = 0;
    std::ptrdiff_t rows = 0;
    for (const auto& one : report.rows) {
        const auto& change = one.change;
        if (change.apart == 0) continue;
        ++rows;
        const double gap = change.hosts[change.apart - 1].change - change.hosts[change.apart].change;
        if (gap > most) most = gap, widest = &change;
    }
    return rows == 0 ? ""
                     : "; " + groups_words(*widest) + (rows > 1 ? fmt::format(" (farthest of {} rows)", rows) : "");
}

std::string unlike_words(const ChangeReport& report) {
    std::vector<std::string> words;
    for (const auto& one : report.apart)
        if (one.is_sure) words.push_back(apart_host_words(one, " unlike the rest:"));
    std::map<std::pair<std::string, std::string>, ApartHost> gpus;  // by host and UUID
    for (const auto& one : report.rows)
        for (const auto& [host, gpu, by] : one.change.unlike_gpus) {
            auto& all =
                gpus.try_emplace({host, gpu}, ApartHost{.host = host.empty() ? gpu : host + " " + gpu}).first->second;
            ++all.rows;
            if (std::abs(by) > std::abs(all.change)) all.change = by;
        }
    for (const auto& [name, one] : gpus)
        words.push_back(fmt::format("{} unlike the others of its host: {}{:+.1f} % in {}", one.host,
                                    one.rows > 1 ? "up to " : "", 100 * one.change, counted(one.rows, "row")));
    return words.empty() ? "" : "; " + listed(words);
}

std::vector<std::string> host_changes(const ChangeReport& report) {
    std::vector<std::string> lines;
    if (report.altered > 0)
        lines.push_back(fmt::format("{} skipped, because damaged or altered (`tocuda verify` shows where)",
                                    counted(report.altered, "section")));
    if (report.cut_off > 0)
        lines.push_back(
            fmt::format("{} cut off before the end: what came after is missing", counted(report.cut_off, "section")));
    if (report.is_backwards)
        lines.emplace_back("all runs of the new side are older than those of the old side: were OLD and NEW swapped?");
    if (report.rolled_back) lines.emplace_back("rolled back: the old driver was measured before and after the new one");
    if (report.left_out > 0)
        lines.push_back(fmt::format("{} kept the driver, but something else changed there: left out of the comparison",
                                    counted(report.left_out, "host")));
    for (const auto& [hosts, side] : {std::pair(&report.hosts_before, "old"), std::pair(&report.hosts_after, "new")})
        if (!hosts->empty())
            lines.push_back(fmt::format("{} on the {} side only, and no witness: {}",
                                        counted(std::ssize(*hosts), "host"), side, listed(*hosts)));
    for (const auto& [gpus, side] : {std::pair(&report.gpus_before, "old"), std::pair(&report.gpus_after, "new")})
        if (!gpus->empty())
            lines.push_back(
                fmt::format("{} on the {} side only: {}", counted(std::ssize(*gpus), "GPU"), side, listed(*gpus)));
    if (!report.had_both_drivers.empty())
        lines.push_back(fmt::format("{} had the old driver on the new side, too; these starts are left out: {}",
                                    counted(std::ssize(report.had_both_drivers), "host"),
                                    listed(report.had_both_drivers)));
    std::vector<std::string> moved;
    for (const auto& [gpu, before, after] : report.moved)
        moved.push_back(fmt::format("{} {} -> {}", gpu, before, after));
    if (!moved.empty())
        lines.push_back(
            fmt::format("{} moved, whose hosts count as one: {}", counted(std::ssize(moved), "GPU"), listed(moved)));
    return lines;
}

// Hosts that were left out of a mean: a single boot may do that, so it is no finding.
std::string aside_words(const ChangeReport& report) {
    std::vector<std::string> words;
    for (const auto& one : report.apart)
        if (!one.is_sure) words.push_back(apart_host_words(one, ""));
    return words.empty() ? "" : "; far from the others, and left out (boot again to be sure): " + listed(words);
}

std::string beside_words(const ChangeReport& report) {
    double most = 0;   // of those that kept the driver
    double again = 0;  // with the old driver again, which undoes too little
    const auto raise = [](double& to, double change, double margin) {
        if (std::abs(change) > std::max(std::abs(to), margin)) to = change;
    };
    for (const auto& [row, change, before, after, rate, clock, flags, of_gpus] : report.rows) {
        if (change.controls_change) raise(most, *change.controls_change, change.margin);
        if (change.drift && !change.is_separated) raise(again, *change.drift, change.margin);
    }
    return (most == 0 ? "" : fmt::format("; hosts that kept the driver changed, too, by up to {:+.1f} %", 100 * most)) +
           (again == 0 ? "" : fmt::format("; with the old driver again it is still up to {:+.1f} %", 100 * again)) +
           (report.is_backwards ? "; the new side is the older one" : "");
}

}  // namespace tocuda
