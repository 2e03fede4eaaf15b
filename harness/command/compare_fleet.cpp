// tocuda, Apache-2.0.
// `tocuda compare --fleet FILE...`: compares each GPU with its peers.
#include <fmt/core.h>

#include <algorithm>

#include "command/compare.hpp"
#include "command/verb.hpp"
#include "gathering/fleet.hpp"
#include "lines/compare_document.hpp"
#include "tables/change_table.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

int compare_fleet(const CompareOptions& options) {
    RowNames names;
    const auto read = read_files(options.fleet, names);
    if (is_unreadable(read)) return usage;
    auto report = judge_fleet(names, read.sections);
    report.files = static_cast<int>(read.files.size());
    report.warnings = warnings_of({&read}, options);
    if (options.json) print_document(fleet_document(report));
    else fmt::print("{}", fleet_words(report, options.all, paper_for_stdout()));
    if (std::any_of(report.found.begin(), report.found.end(), [](const FleetRow& row) { return row.below; }))
        return finding;
    if (report.rows > 0) return as_expected;
    complain("tocuda compare: no GPU has the five peers needed (same model, driver, VBIOS and power limit)");
    return nothing_done;
}

}  // namespace tocuda
