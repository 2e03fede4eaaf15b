// tocuda, Apache-2.0.
// What was measured, run by run and family by family, what LibTorch adds, and what was not measured.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "printing/bench_families.hpp"
#include "report/family_curves.hpp"
#include "report/parts.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

Html taxes_of(const RecordedRun& of, Figures& figures, const Redaction& redaction) {
    const auto& measured = of.measured;
    Html html(redaction);
    if (measured.taxes.empty()) return html;
    const auto family = folder_of(measured.taxes.front().benchmark);
    RowChart chart{.title = family + ": what LibTorch adds to the runtime" + (is_simulated(of) ? ", SIMULATED" : ""),
                   .axis = "time through LibTorch / time through the runtime",
                   .unit = Unit::ratio};
    Table table{chart.title,
                {{"operation", false}, {"size"}, {"ratio"}, {"95 % from"}, {"to"}, {"added, us"}, {"processes"}},
                {}};
    double most = 1;
    for (const auto& tax : measured.taxes) {
        const auto operation = row_words(tax.benchmark, without_bytes(tax.parameters));
        const auto at = [](double value) { return fmt::format("{:.3f}", value); };
        table.rows.push_back({operation, size_text(tax.parameters), at(tax.ratio),
                              tax.ratio_interval ? at(tax.ratio_interval->low) : "",
                              tax.ratio_interval ? at(tax.ratio_interval->high) : "",
                              fmt::format("{:.3g}", tax.extra_seconds * 1e6), std::to_string(tax.processes)});
        if (chart.rows.size() == most_rows) continue;
        most = std::max({most, tax.ratio, tax.ratio_interval ? tax.ratio_interval->high : 0});
        chart.rows.push_back({.group = operation,
                              .label = size_text(tax.parameters),
                              .values = {tax.ratio},
                              .interval = tax.ratio_interval,
                              .note = at(tax.ratio),
                              .mark = Mark::hollow_dot});
    }
    chart.scale = {0, most * 1.05, false};
    chart.levels = {{"1: LibTorch adds nothing", 1}};
    chart.description = fmt::format("Ratios of {}, the largest {:.3f}.", counted(std::ssize(table.rows), "row"), most);
    return html.add("<h3>{}: LibTorch and the runtime</h3><div class=figures>{}</div>", family,
                    figures.with(chart, {"1.000: LibTorch adds nothing. Both were measured in turns in each process."},
                                 table, run_words(of)));
}

Html skipped_of(const MeasuredRun& measured, const Redaction& redaction) {
    std::map<std::string, std::pair<int, std::set<std::string>>> reasons;
    for (const auto& row : measured.rows)
        if (row.status == Status::skipped) {
            auto& [count, names] = reasons[row.because];
            ++count;
            names.insert(row.benchmark);
        }
    Html html(redaction);
    if (reasons.empty()) return html;
    html.add("<h3>Not measured</h3><ul>");
    for (const auto& [because, what] : reasons) {
        html.add("<li>{}: {} of", because, counted(what.first, "row"));
        for (const auto& name : what.second) html.add(" <code>{}</code>", name);
    }
    return html.add("</ul>");
}

Html run_figures(const RecordedRun& run, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    Html others(redaction);
    for (const auto& family : families_of(run.measured.rows)) {
        const auto drawn = figures_of(family, run.measured.fits, run_words(run), figures, redaction);
        if (drawn.text().find("<svg") == std::string::npos) others.add("{}", drawn);
        else
            html.add("<h3>{}{}</h3><div class=figures>{}</div>", family.name,
                     family.where.empty() ? "" : " " + family.where, drawn);
    }
    html.add("{}", taxes_of(run, figures, redaction));
    if (!others.empty()) html.add("<h3>Other measurements</h3><div class=figures>{}</div>", others);
    return html.add("{}", skipped_of(run.measured, redaction));
}

}  // namespace

Html measurements_part(const Report& report, Figures& figures, const Redaction& redaction) {
    Html html(redaction);
    if (report.fleet) return html;  // the fleet's own figures show its rows
    std::vector<const RecordedRun*> measured;
    for (const auto& run : report.runs)
        if (!run.measured.rows.empty()) measured.push_back(&run);
    for (auto run = measured.rbegin(); run != measured.rend(); ++run) {
        const auto& about = (*run)->about;
        if (measured.size() > 1)
            html.add("<details class=run{}><summary>run {}, {}, {}{}</summary>",
                     run == measured.rbegin() ? " open" : "", short_run(about.run), about.time,
                     is_simulated(**run) ? "SIMULATED " : "", driver_words(about.driver));
        html.add("{}", run_figures(**run, figures, redaction));
        if (measured.size() > 1) html.add("</details>");
    }
    return html;
}

}  // namespace tocuda::page
