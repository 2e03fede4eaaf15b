// tocuda, Apache-2.0.
// `tocuda compare --history FOLDER`: compares each driver with the previous one, and finds lasting changes of rows.
#include <fmt/core.h>

#include "command/compare.hpp"
#include "command/verb.hpp"
#include "gathering/driver_history.hpp"
#include "gathering/paired_rows.hpp"
#include "lines/compare_document.hpp"
#include "tables/change_table.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

HistoryReport history_of(const RowNames& names, const std::vector<GatheredSection>& sections,
                         const ComparisonRules& rules) {
    HistoryReport report{.sections = static_cast<int>(sections.size()),
                         .drivers = driver_steps(names, sections, rules)};
    find_steps(names, sections, report);
    for (const auto& section : sections) report.simulated = report.simulated || section.run.device == Device::simulated;
    return report;
}

void print(const HistoryReport& report, bool all) {
    const auto paper = paper_for_stdout();
    if (report.simulated) fmt::print("{}", simulated_words(paper));
    for (const auto& [before, after, compared] : report.drivers) {
        fmt::print("{}\n{}\n", paper.strong(fmt::format("{} -> {}", before, after)), compared_words(compared, paper));
        for (const auto& text :
             {change_table(compared, all, paper), claim_words(compared, paper), unpaired_words(compared, paper)})
            if (!text.empty()) fmt::print("{}\n", text);
        fmt::print("{}\n\n", wrap(total_words(compared), 0, 2, paper.columns()));
    }
    if (report.drivers.empty()) fmt::print("only one driver: no other to compare it with\n\n");
    fmt::print("{}", history_words(report, paper));
}

}  // namespace

int compare_history(const CompareOptions& options) {
    RowNames names;
    const auto read = read_files({options.history}, names);
    if (is_unreadable(read)) return usage;
    auto report = history_of(names, read.sections, rules_of(options));
    report.files = static_cast<int>(read.files.size());
    report.warnings = warnings_of({&read}, options);
    if (options.json) print_document(history_document(report));
    else print(report, options.all);
    bool found = false;
    bool compared = report.rows > 0;
    bool open = false;
    for (const auto& step : report.steps) found = found || step.change > 0;
    for (const auto& step : report.drivers) {
        found = found || has_findings(step.report);
        compared = compared || compared_anything(step.report);
        open = open || has_verdict(step.report, ChangeVerdict::undecided);
    }
    if (found) return finding;
    if (compared) return options.strict && open ? undecided : as_expected;
    complain("tocuda compare: nothing can be compared: only one driver, and fewer than 20 sessions");
    return nothing_done;
}

}  // namespace tocuda
