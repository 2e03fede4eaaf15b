// tocuda, Apache-2.0.
// Formats the report of `compare --fleet`: a sentence per finding.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <vector>

#include "comparison_rules/cohort.hpp"
#include "printing/change_table.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t rows_told = 3;  // per GPU

std::string cohort_words(const FleetCohort& counted_cohort) {
    const auto& [cohort, gpus] = counted_cohort;
    auto text = counted(gpus, "GPU") + (cohort.model.empty() ? "" : " " + cohort.model) + ", driver " + cohort.driver;
    if (!cohort.vbios.empty()) text += ", VBIOS " + cohort.vbios;
    if (!cohort.power_limit_w.empty()) text += ", " + cohort.power_limit_w + " W";
    return text;
}

std::string found_words(const FleetRow& row, const Paper& paper) {
    const auto side = paper.strong(row.below ? "below" : "above");
    return wrap(fmt::format("{} {} is {:.1f} % {} its {} peers on {}{}", row.below ? "!" : "+", row.node,
                            100 * std::abs(row.difference), side, row.peers, row_words(row.benchmark, row.parameters),
                            row.differs.empty() ? "" : ": " + row.differs),
                0, 2, paper.columns()) +
           "\n";
}

}  // namespace

std::string fleet_words(const FleetReport& report, bool all, const Paper& paper) {
    std::string text;
    if (report.simulated) text += simulated_words(paper);
    text += fmt::format("{}, {}, {}\n", counted(report.files, "file"), counted(report.sections, "run"),
                        counted(report.gpus, "GPU"));
    for (const auto& cohort : report.cohorts) text += "  " + wrap(cohort_words(cohort), 2, 4, paper.columns()) + "\n";
    text += "\n";
    std::vector<std::string> order;
    std::map<std::string, std::vector<const FleetRow*>> nodes;
    for (const auto& row : report.found) {
        auto& rows = nodes[row.node];
        if (rows.empty()) order.push_back(row.node);
        rows.push_back(&row);
    }
    for (const auto& node : order) {
        const auto& rows = nodes[node];
        for (std::size_t i = 0; i < rows.size() && (all || i < rows_told); ++i) text += found_words(*rows[i], paper);
        if (!all && rows.size() > rows_told)
            text += fmt::format("  ... and on {}; --all lists them\n",
                                counted(static_cast<std::int64_t>(rows.size() - rows_told), "more row"));
    }
    std::string total =
        fmt::format("{} compared with peers: {} differ{} by more than {} and by more than the peers' spread explains",
                    counted(report.rows, "row"), report.found.size(), report.found.size() == 1 ? "s" : "",
                    percent_text(CohortRules{}.margin));
    if (report.alone > 0)
        total += fmt::format("; {} with fewer than 5 peers: not compared", counted(report.alone, "row"));
    if (report.invalid > 0) total += fmt::format("; {} invalid", counted(report.invalid, "row"));
    return text + (order.empty() ? "" : "\n") + wrap(total, 0, 2, paper.columns()) + "\n";
}

}  // namespace tocuda
