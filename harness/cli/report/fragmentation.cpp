// tocuda, Apache-2.0.
// What fragments the caching allocator's pool, and which settings help: from the evidence of the scenarios of
// `fragmentation/`.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/parts.hpp"

namespace tocuda::page {
namespace {

constexpr std::string_view folder = "fragmentation/";

std::optional<double> number_in(const Row& row, const std::string& key) {
    const auto* value = row.evidence.find(key);
    if (!value) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&value->held)) return static_cast<double>(*whole);
    const auto* number = std::get_if<double>(&value->held);
    return number ? std::optional(*number) : std::nullopt;
}

// The moments of a scenario whose evidence has the state of the pool before a request, and whether it was refused.
std::vector<std::string> requests_in(const Row& row) {
    constexpr std::string_view state = ".before.free_mib";
    std::vector<std::string> names;
    for (const auto& one : row.evidence.observations)
        if (one.key.ends_with(state)) {
            const auto name = one.key.substr(0, one.key.size() - state.size());
            if (row.evidence.has(name + ".threw")) names.push_back(name);
        }
    return names;
}

struct Charted {
    RowChart chart{};
    Table table{};
};

void add_request(const Row& row, const std::string& name, Charted& pool, double& most) {
    const auto free = number_in(row, name + ".before.free_mib");
    const auto largest = number_in(row, name + ".before.largest_free_mib");
    const auto* threw = row.evidence.find(name + ".threw");
    const auto* refused = threw ? std::get_if<bool>(&threw->held) : nullptr;
    if (!free || !largest || !refused) return;
    const auto group = row.name.substr(folder.size()) + ", request " + name;
    const auto* answer = *refused ? "refused" : "granted";
    most = std::max(most, *free);
    pool.chart.rows.push_back(
        {.group = group,
         .label = fmt::format("{}: {:.4g} MiB, pieces up to {:.4g}", row.variant, *free, *largest),
         .values = {*free},
         .part = largest,
         .note = answer});
    pool.table.rows.push_back({group, row.variant, fmt::format("{:.4g}", *free), fmt::format("{:.4g}", *largest),
                               fmt::format("{:.4g}", number_in(row, name + ".before.free_blocks").value_or(0)),
                               fmt::format("{:.4g}", number_in(row, name + ".before.reserved_mib").value_or(0)),
                               answer});
}

void add_lost(const Row& row, Charted& lost, double& most) {
    constexpr std::string_view what = ".lost_mib";
    for (const auto& one : row.evidence.observations) {
        if (!one.key.ends_with(what)) continue;
        const auto mebibytes = number_in(row, one.key);
        const auto dot = one.key.find('.');
        const auto setting = one.key.substr(0, dot);
        const auto workload = one.key.substr(dot + 1, one.key.size() - dot - 1 - std::min(one.key.size(), what.size()));
        if (!mebibytes) continue;
        most = std::max(most, *mebibytes);
        lost.chart.rows.push_back({.group = row.name.substr(folder.size()) + ", " + workload,
                                   .label = setting,
                                   .values = {*mebibytes},
                                   .note = fmt::format("{:.4g} MiB", *mebibytes)});
        lost.table.rows.push_back({workload, setting, fmt::format("{:.4g}", *mebibytes)});
    }
}

void group_rows(Charted& one) {
    std::stable_sort(one.chart.rows.begin(), one.chart.rows.end(),
                     [](const ChartRow& left, const ChartRow& right) { return left.group < right.group; });
    std::stable_sort(one.table.rows.begin(), one.table.rows.end(),
                     [](const auto& left, const auto& right) { return left.front() < right.front(); });
}

}  // namespace

Html fragmentation_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Charted pool{{.title = "What fragments: memory free in the pool before a request, and its largest piece",
                  .axis = "MiB free in the pool; full colour: the largest piece",
                  .unit = Unit::mebibytes},
                 {"Memory free in the pool before each request",
                  {{"situation", false},
                   {"setting", false},
                   {"free, MiB"},
                   {"largest piece, MiB"},
                   {"pieces"},
                   {"reserved, MiB"},
                   {"the request was", false}},
                  {}}};
    Charted lost{{.title = "What helps: memory lost to gaps in a training workload",
                  .axis = "MiB lost to gaps",
                  .unit = Unit::mebibytes},
                 {"Memory lost to gaps", {{"workload", false}, {"setting", false}, {"lost, MiB"}}, {}}};
    double most_free = 0;
    double most_lost = 0;
    const auto scenarios = newest_scenarios(report);
    std::string run;
    for (std::size_t i = 0; i < scenarios.rows.size(); ++i) {
        const auto& row = scenarios.rows[i];
        if (!row.name.starts_with(folder)) continue;
        run = report.runs[scenarios.runs[i]].about.run;
        for (const auto& name : requests_in(row)) add_request(row, name, pool, most_free);
        add_lost(row, lost, most_lost);
    }
    Html html(redaction);
    for (const auto& [one, most] : {std::pair(&pool, most_free), std::pair(&lost, most_lost)}) {
        if (one->chart.rows.empty()) continue;
        group_rows(*one);
        one->chart.scale = {0, std::max(1.0, most * 1.05), false};
        one->chart.description = fmt::format("{} rows; the numbers are in the table.", one->chart.rows.size());
        html.add("{}", figures.with(one->chart,
                                    {one == &pool ? "A request is refused although enough is free where no piece is "
                                                    "large enough."
                                                  : "Less is better; each workload under each setting."},
                                    one->table, run));
    }
    if (html.empty()) return html;
    return Html(redaction).add("<div class=figures>{}</div>", html);
}

}  // namespace tocuda::page
