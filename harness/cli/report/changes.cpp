// tocuda, Apache-2.0.
// What changed between two sides: rows with their intervals, claims, and what the changes can be attributed to.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "comparison_input/paired_rows.hpp"
#include "printing/change_table.hpp"
#include "printing/models_table.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

Html described(const ChangeReport& report, const Redaction& redaction) {
    Html html(redaction);
    html.add("<dl>");
    for (const auto& [label, words] : compared_lines(report)) html.add("<dt>{}<dd>{}", label, words);
    return html.add("</dl>");
}

Mark mark_of(ChangeVerdict verdict) {
    if (verdict == ChangeVerdict::slower || verdict == ChangeVerdict::likely_slower) return Mark::worse;
    if (verdict == ChangeVerdict::faster || verdict == ChangeVerdict::likely_faster) return Mark::better;
    return verdict == ChangeVerdict::undecided ? Mark::open : Mark::dot;
}

std::string percent(const std::optional<double>& part) { return part ? fmt::format("{:+.2f}", 100 * *part) : ""; }

// What the times of all rows are given in; empty: in several units, which stand beside each.
std::string unit_of(const ChangeReport& report) {
    const auto unit = [](const AnsweredRow& one) { return one.rate ? one.rate->unit : "us"; };
    const auto first = report.rows.empty() ? "us" : unit(report.rows.front());
    return std::ranges::all_of(report.rows, [&](const AnsweredRow& one) { return unit(one) == first; }) ? first : "";
}

std::string level(const AnsweredRow& one, const std::optional<double>& seconds, bool with_unit) {
    if (!seconds) return "";
    if (with_unit) return level_text(one.rate, *seconds);
    return one.rate ? four_digits(one.rate->amount / *seconds) : fmt::format("{:.4g}", *seconds * 1e6);
}

std::string name_of(const AnsweredRow& one, bool several_gpus) {
    auto name = row_words(one.row.benchmark, one.row.parameters);
    if (one.row.gpus > 1) name += " on " + counted(one.row.gpus, "GPU") + " together";
    return several_gpus && !one.row.gpu.empty() ? name + " on " + one.row.gpu : name;
}

// Decided rows first, the largest changes before the others.
std::vector<const AnsweredRow*> in_order(const ChangeReport& report) {
    std::vector<const AnsweredRow*> rows;
    for (const auto& one : report.rows) rows.push_back(&one);
    const auto rank = [](const AnsweredRow* one) {
        constexpr std::array order{ChangeVerdict::slower,        ChangeVerdict::faster,    ChangeVerdict::likely_slower,
                                   ChangeVerdict::likely_faster, ChangeVerdict::undecided, ChangeVerdict::same};
        return std::pair(std::find(order.begin(), order.end(), one->change.verdict) - order.begin(),
                         -std::abs(one->change.change.value_or(0)));
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const AnsweredRow* left, const AnsweredRow* right) { return rank(left) < rank(right); });
    return rows;
}

Scale change_scale(const RowChart& chart) {
    double low = -0.005;
    double high = 0.005;
    for (const auto& row : chart.rows)
        for (const double value :
             {row.values.front(), row.interval ? row.interval->low : 0, row.interval ? row.interval->high : 0}) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    const double room = 0.05 * (high - low);
    return {low - room, high + room, false};
}

Table empty_table(const std::string& title, const std::string& unit) {
    const auto in = unit.empty() ? "" : ", " + unit;
    return {title,
            {{"row", false},
             {"verdict", false},
             {"old" + in},
             {"new" + in},
             {"change, %"},
             {"from"},
             {"to"},
             {"could show, %"},
             {"starts"},
             {"likely, and why", false},
             {"because", false}},
            {}};
}

Html rows_figure(const ChangeReport& report, const std::string& title, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    if (report.rows.empty()) return html;
    RowChart chart{.title = title, .axis = "change of time; to the right: slower", .unit = Unit::percent};
    const auto unit = unit_of(report);
    auto table = empty_table(title, unit);
    for (const auto* one : in_order(report)) {
        const auto& change = one->change;
        const auto name = name_of(*one, report.gpus.size() > 1);
        const auto interval = change.interval;
        table.rows.push_back({name, std::string(word(change.verdict)), level(*one, one->seconds_before, unit.empty()),
                              level(*one, one->seconds_after, unit.empty()), percent(change.change),
                              percent(interval ? std::optional(interval->low) : std::nullopt),
                              percent(interval ? std::optional(interval->high) : std::nullopt),
                              change.detectable ? fmt::format("{:.2f}", 100 * *change.detectable) : "",
                              fmt::format("{}/{}", change.starts_before, change.starts_after), basis_words(change),
                              change.because});
        if (!change.change || chart.rows.size() == most_rows) continue;
        chart.rows.push_back({.group = std::string(word(change.verdict)),
                              .label = name,
                              .values = {*change.change},
                              .interval = change.interval,
                              .note = percent(change.change) + " %",
                              .mark = mark_of(change.verdict)});
    }
    if (chart.rows.empty()) return figures.table(title, {}, table, report.after.runs.back().run.run);
    chart.scale = change_scale(chart);
    chart.levels = {{"no change", 0}};
    chart.description = total_words(report);
    const bool several = report.before.starts > 1 || report.after.starts > 1;
    const auto cut = report.rows.size() > chart.rows.size() ? fmt::format("The {} clearest of {}.", chart.rows.size(),
                                                                          counted(std::ssize(report.rows), "row"))
                                                            : "";
    return figures.with(halves(chart),
                        {std::string("Times are medians over the starts of each side") +
                             (several ? "; numbers above are of the newest run that has the row." : "."),
                         "Intervals are adjusted for all rows together.", cut},
                        table, report.before.runs.front().run.run + " and " + report.after.runs.back().run.run);
}

// Two models of GPUs are not judged: which is faster by how much is all that is asked.
Html models_figure(const ChangeReport& report, Figures& figures, const Redaction& redaction) {
    if (!report.models || report.models->rows.empty()) return Html(redaction);
    const auto& [before, after, all] = *report.models;
    const auto title = fmt::format("How many times as fast {} is as {}", after, before);
    RowChart chart{.title = title, .axis = "times as fast", .unit = Unit::ratio};
    Table table{title, {{"row", false}, {before}, {after}, {"times as fast"}}, {}};
    std::vector<double> ratios{1};
    for (const auto& row : rows_beside(*report.models, true))
        table.rows.push_back({row_words(row.benchmark, row.parameters), seconds_text(row.seconds_before),
                              seconds_text(row.seconds_after), fmt::format("{:.2f}", times_as_fast(row))});
    auto shown = rows_beside(*report.models, false);
    std::ranges::stable_sort(shown, std::ranges::greater(), times_as_fast);
    for (const auto& row : shown) {
        if (chart.rows.size() == most_rows) break;
        const double ratio = times_as_fast(row);
        ratios.push_back(ratio);
        chart.rows.push_back({.label = row_words(row.benchmark, row.parameters),
                              .values = {ratio},
                              .note = fmt::format("{:.2f}", ratio),
                              .mark = Mark::dot});
    }
    chart.scale = scale_for(ratios);
    chart.levels = {{"equal", 1}};
    chart.description = title;
    const bool chosen = std::ranges::any_of(shown, [](const auto& row) { return row.benchmark.ends_with("/best"); });
    return figures.with(halves(chart),
                        {"Medians of the newest run that has the row; nothing is judged.",
                         chosen ? "Rows named best use, on each GPU, the variant chosen for it." : "",
                         fmt::format("The largest size of {} of {}, the fastest first; the table has every row.",
                                     chart.rows.size(), counted(std::ssize(shown), "benchmark"))},
                        table, report.before.runs.front().run.run + " and " + report.after.runs.back().run.run);
}

Html claims_changed(const ChangeReport& report, const Redaction& redaction) {
    Html html(redaction);
    const auto lines = filled_lines(claim_words(report, page_paper()));
    if (!lines.empty()) html.add("<h4>Changed verdicts and error texts</h4><pre>");
    for (const auto& line : lines) html.add("{}\n", line);
    if (!lines.empty()) html.add("</pre>");
    for (const auto& line : filled_lines(unpaired_words(report, page_paper()))) html.add("<p>{}</p>", line);
    return html;
}

}  // namespace

const char* changes_name(const Report& report) {
    const auto of_models = [](const DriverStep& step) { return step.report.models.has_value(); };
    return std::ranges::any_of(report.changes, of_models) ? "Side by side" : "Changes";
}

std::string step_words(const DriverStep& step) {
    const auto& models = step.report.models;
    return models ? models->before + " and " + models->after : step.before + " to " + step.after;
}

Html changes_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    for (const auto& step : report.changes) {
        const auto& compared = step.report;
        html.add("<h3>{}</h3>", step_words(step));
        if (compared_anything(compared)) html.add("<p>{}.</p>", total_words(compared));
        html.add("{}<div class=figures>{}</div>{}", described(compared, redaction),
                 rows_figure(compared, "Changes of time, " + step_words(step), figures, redaction)
                     .add("{}", models_figure(compared, figures, redaction)),
                 claims_changed(compared, redaction));
    }
    return html;
}

}  // namespace tocuda::page
