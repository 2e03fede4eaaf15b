// tocuda, Apache-2.0.
// What programs need of a GPU's memory, by the settings of the allocator: from documents of `replay`.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "printing/replay_table.hpp"
#include "report/parts.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr double mebibyte = 1 << 20;

std::string label_of(const ReplayRow& row, const Replayed& replayed) {
    return row.torch == replayed.torch ? setting_name(row.settings) : "torch " + row.torch;
}

ChartCurve curve_of(const std::vector<std::int64_t>& events, const std::vector<std::int64_t>& bytes,
                    const std::string& label) {
    ChartCurve curve{.label = label};
    for (std::size_t i = 0; i < std::min(events.size(), bytes.size()); ++i)
        curve.points.push_back({static_cast<double>(events[i]), static_cast<double>(bytes[i]) / mebibyte});
    return curve;
}

// Settings that reserve the same at each moment share a curve.
std::vector<ChartCurve> curves_of(const Replayed& replayed) {
    std::vector<ChartCurve> curves;
    std::map<std::vector<std::int64_t>, std::size_t> alike;
    for (const auto& row : replayed.rows) {
        if (!row.course) continue;
        const auto [known, is_new] = alike.emplace(row.course->reserved_bytes, curves.size());
        const auto label = label_of(row, replayed);
        if (is_new) curves.push_back(curve_of(row.course->events, row.course->reserved_bytes, label));
        else curves[known->second].label += ", " + label;
    }
    if (curves.empty()) return curves;
    curves.resize(std::min(curves.size(), looks - 1));
    const auto& first = *std::ranges::find_if(replayed.rows, [](const ReplayRow& row) { return bool(row.course); });
    curves.push_back(curve_of(first.course->events, first.course->allocated_bytes, "allocated by the program"));
    return curves;
}

CurveChart chart_of(const MemoryReplay& memory) {
    const auto& replayed = memory.replayed;
    CurveChart chart{.title = "Memory that the allocator reserves, by its settings: " + memory.file,
                     .description = "The numbers are in the table.",
                     .axis = "MiB",
                     .unit = Unit::mebibytes,
                     .curves = curves_of(replayed),
                     .over_events = true};
    for (const auto& capacity : capacities_of(replayed))
        chart.levels.push_back({"capacity " + capacity.name, static_cast<double>(capacity.bytes) / mebibyte, "peak"});
    for (const auto& row : replayed.rows)
        if (row.capacity_bytes && row.oom)
            chart.failures.push_back(
                {static_cast<double>(row.oom->event), static_cast<double>(*row.capacity_bytes) / mebibyte});
    return chart;
}

Table table_of(const Replayed& replayed) {
    Table table{"By setting", {{"setting", false}, {"reserved peak"}, {"smallest that survives"}, {"retries"}}, {}};
    for (const auto& row : replayed.rows)
        if (!row.capacity_bytes)
            table.rows.push_back({label_of(row, replayed), amount_to_mib(row.reserved_peak_bytes),
                                  row.smallest_bytes ? amount_to_mib(*row.smallest_bytes) : "not asked for",
                                  std::to_string(row.retries)});
    return table;
}

}  // namespace

std::string memory_words(const MemoryReplay& memory) {
    const auto& replayed = memory.replayed;
    auto words = fmt::format("{}: reserved peak {}", memory.file, amount_to_mib(replayed.same.reserved_peak_bytes));
    if (!replayed.same.reproduced) return words + ", not reproduced by LibTorch " + replayed.torch;
    for (const auto& row : replayed.rows) {
        const bool is_recorded = row.torch == replayed.torch && row.settings == replayed.source.settings;
        if (is_recorded && row.smallest_bytes) words += ", smallest " + amount_to_mib(*row.smallest_bytes);
        if (is_recorded && row.capacity_bytes && row.oom) words += ", fails with " + amount_to_mib(*row.capacity_bytes);
    }
    return words;
}

Html memory_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    for (const auto& memory : report.memory) {
        const auto& replayed = memory.replayed;
        auto chart = chart_of(memory);
        const auto lines = filled_lines(replay_table(replayed, capacities_of(replayed), page_paper()));
        html.add("<pre>");
        for (const auto& line : lines) html.add("{}\n", line);
        html.add("</pre>");
        if (chart.curves.empty()) continue;
        const std::vector<std::string> about{
            fmt::format("{} events, replayed by the allocator of LibTorch {} on a simulated GPU with more than enough "
                        "memory.",
                        replayed.source.events, replayed.torch),
            chart.failures.empty() ? "" : "A cross is where it runs out of the memory of that line."};
        html.add("<div class=figures>{}</div>", figures.with(chart, about, table_of(replayed), ""));
    }
    return html;
}

}  // namespace tocuda::page
