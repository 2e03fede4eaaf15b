// tocuda, Apache-2.0.
// Each GPU of a fleet against its cohort, row by row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "printing/change_table.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

struct Member {
    std::string gpu{};  // "node17 cuda:0"
    const RowSummary* row = nullptr;
    std::string run{};
};

const FleetRow* standing_of(const FleetReport& fleet, const Member& member) {
    const auto found = std::find_if(fleet.found.begin(), fleet.found.end(), [&](const FleetRow& one) {
        return one.id == member.row->id && one.gpu == member.row->gpu && one.node == member.gpu &&
               one.peer == member.row->peer;
    });
    return found == fleet.found.end() ? nullptr : &*found;
}

// The rows with values on several GPUs, in order of their first appearance.
std::vector<std::vector<Member>> rows_of(const Report& report) {
    std::vector<std::vector<Member>> rows;
    std::map<std::string, std::size_t> known;
    for (const auto& run : report.runs)
        for (const auto& row : run.measured.rows) {
            if (!has_value(row) || row.gpu.empty()) continue;
            const auto [found, is_new] = known.try_emplace(row.id + std::string(word(row.device)), rows.size());
            if (is_new) rows.emplace_back();
            rows[found->second].push_back({gpu_place(run.about, row.gpu), &row, run.about.run});
        }
    std::erase_if(rows, [](const std::vector<Member>& row) { return row.size() < 2; });
    return rows;
}

void add(const std::vector<Member>& members, const FleetReport& fleet, RowChart& chart, Table& table) {
    RowList list;
    for (const auto& member : members) list.push_back(member.row);
    const auto quantity = quantity_of(list);
    const auto& first = *members.front().row;
    const auto name = row_words(first.benchmark, first.parameters);
    double fastest = 0;  // of speed, whatever the quantity
    for (const auto& member : members) fastest = std::max(fastest, 1 / *member.row->median_seconds);
    ChartRow row{.label = name, .mark = Mark::hollow_dot};
    for (const auto& member : members) {
        const auto* found = standing_of(fleet, member);
        if (found) row.strong.push_back(row.values.size());
        row.values.push_back(1 / *member.row->median_seconds / fastest);
        table.rows.push_back({name, member.gpu, value_text(quantity.unit(), quantity.of(*member.row)),
                              fmt::format("{:.4g}", 100 * row.values.back()),
                              found ? fmt::format("{:+.1f}", 100 * found->difference) : "", found ? found->because : "",
                              found ? found->differs : "", short_run(member.run)});
    }
    row.note = row.strong.empty() ? counted(std::ssize(members), "GPU")
                                  : fmt::format("{} of {} GPUs", row.strong.size(), members.size());
    chart.rows.push_back(std::move(row));
}

// From a round share below all values; markers, unlike bars, need no zero.
Scale scale_of(const std::vector<ChartRow>& rows) {
    double least = 0.9;
    for (const auto& row : rows) least = std::min(least, *std::min_element(row.values.begin(), row.values.end()));
    return {std::floor(least * 20) / 20, 1.005, false};
}

}  // namespace

std::string gpu_place(const RunLine& run, const std::string& uuid) {
    const auto node = run.fleet ? run.fleet->node : run.machine.host.value_or("");
    const auto found = std::find_if(run.gpus.begin(), run.gpus.end(), [&](const Gpu& one) { return one.uuid == uuid; });
    return node + (node.empty() ? "" : " ") + (found == run.gpus.end() ? uuid : fmt::format("cuda:{}", found->index));
}

std::string standing_words(const FleetReport& fleet) {
    constexpr std::size_t most_named = 4;
    std::vector<std::string> standing;
    for (const auto& row : fleet.found)
        if (std::find(standing.begin(), standing.end(), row.node) == standing.end()) standing.push_back(row.node);
    if (standing.empty()) return fmt::format("None of {} stands out from its peers", counted(fleet.gpus, "GPU"));
    const auto named = std::min(standing.size(), most_named);
    auto text = fmt::format("{} of {} stand{} out: {}", standing.size(), counted(fleet.gpus, "GPU"),
                            standing.size() == 1 ? "s" : "",
                            fmt::join(standing.begin(), standing.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (standing.size() > named) text += fmt::format(" and {} more", standing.size() - named);
    return text;
}

std::vector<std::string> fleet_lines(const FleetReport& fleet) {
    constexpr std::size_t mark = 2;  // "! " and "+ " of a terminal's lines
    auto lines = filled_lines(fleet_words(fleet, true, page_paper()));
    for (auto& line : lines)
        if (line.starts_with("! ") || line.starts_with("+ ") || line.starts_with("  ")) line = line.substr(mark);
    const auto all = lines.size();
    if (all > most_rows) {
        lines[most_rows - 2] = fmt::format("and {} more: see the table", all - most_rows + 1);
        lines[most_rows - 1] = lines.back();  // the total
        lines.resize(most_rows);
    }
    return lines;
}

Html fleet_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    if (!report.fleet) return html;
    auto words = *report.fleet;  // the page's band says what is simulated
    words.simulated = false;
    html.add("<ul>");
    for (const auto& line : fleet_lines(words)) html.add("<li>{}", line);
    html.add("</ul>");
    RowChart chart{.title = "Each GPU against the fastest one, row by row",
                   .axis = "speed, share of the row's fastest GPU",
                   .unit = Unit::ratio};
    Table table{"Each GPU in each row",
                {{"row", false},
                 {"GPU", false},
                 {"measured"},
                 {"% of the fastest"},
                 {"to its peers, %"},
                 {"stands out", false},
                 {"recorded differences", false},
                 {"run", false}},
                {}};
    auto rows = rows_of(report);
    const auto stands_out = [&](const std::vector<Member>& row) {
        return std::any_of(row.begin(), row.end(),
                           [&](const Member& member) { return standing_of(*report.fleet, member); });
    };
    std::stable_partition(rows.begin(), rows.end(), stands_out);
    for (const auto& row : rows) add(row, *report.fleet, chart, table);
    if (chart.rows.empty()) return html;
    const auto all = chart.rows.size();
    if (all > most_rows) chart.rows.resize(most_rows);
    chart.scale = scale_of(chart.rows);
    chart.description = fmt::format("{} of {} compared rows stand out.", words.found.size(), words.rows);
    return html.add(
        "<div class=figures>{}</div>",
        figures.with(chart,
                     {"Diamonds: GPUs that stand out from their cohort (same model, driver, VBIOS and power limit).",
                      all > most_rows ? fmt::format("The first {} of {} rows.", most_rows, all) : ""},
                     table, report.runs.back().about.run));
}

}  // namespace tocuda::page
