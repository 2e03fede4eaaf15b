// tocuda, Apache-2.0.
#include "comparison_input/driver_history.hpp"

#include <algorithm>
#include <array>

#include "comparison_input/paired_rows.hpp"
#include "comparison_input/row_cells.hpp"
#include "comparison_rules/change_points.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

// The first section of each start, by the start's number.
std::vector<const RunLine*> first_runs(const std::vector<GatheredSection>& sections, const SideStarts& starts) {
    std::vector<const RunLine*> runs(starts.names.size(), nullptr);
    for (std::size_t i = 0; i < sections.size(); ++i)
        if (auto*& run = runs[starts.of_section[i]]; !run) run = &sections[i].run;
    return runs;
}

// The sections of all other drivers are the pair's history.
GatheredSides sides_of(const std::vector<DriverSections>& drivers, std::size_t after) {
    GatheredSides sides{drivers[after - 1].sections, drivers[after].sections, {}};
    for (std::size_t i = 0; i < drivers.size(); ++i)
        if (i + 1 != after && i != after)
            sides.history.insert(sides.history.end(), drivers[i].sections.begin(), drivers[i].sections.end());
    return sides;
}

}  // namespace

std::vector<DriverSections> by_driver(const std::vector<GatheredSection>& sections) {
    std::vector<DriverSections> drivers;
    for (const auto& section : sections) {
        const auto driver = driver_text(section.run.driver);
        auto found = std::find_if(drivers.begin(), drivers.end(),
                                  [&](const DriverSections& one) { return one.driver == driver; });
        if (found == drivers.end()) found = drivers.insert(found, {driver, {}});
        found->sections.push_back(section);
    }
    return drivers;
}

std::vector<DriverStep> driver_steps(const RowNames& names, const std::vector<GatheredSection>& sections,
                                     const ComparisonRules& rules) {
    const auto drivers = by_driver(sections);
    std::vector<DriverStep> steps;
    for (std::size_t i = 1; i < drivers.size(); ++i) {
        auto sides = sides_of(drivers, i);
        steps.push_back({drivers[i - 1].driver, drivers[i].driver, compare_sides(names, sides, rules)});
    }
    return steps;
}

void find_steps(const RowNames& names, const std::vector<GatheredSection>& sections, HistoryReport& report) {
    const auto starts = starts_of(sections, false);
    const auto runs = first_runs(sections, starts);
    const auto gpus = pair_gpus(names, sections, sections);
    const std::array sources{CellSource{Side::before, sections, &starts}};
    const ChangePointRules rules;
    for (const auto& [key, cell] : row_cells(names, sources, gpus)) {
        const auto counted = count_starts(cell.of(Side::before), names, starts.names);
        std::vector<double> seconds;
        for (const auto& start : counted.starts) seconds.push_back(median(start.process_medians));
        const int missing = rules.sessions_min - static_cast<int>(seconds.size());
        if (seconds.empty()) continue;
        if (missing > 0) {
            report.sessions_missing = report.short_rows == 0 ? missing : std::min(report.sessions_missing, missing);
            ++report.short_rows;
            continue;
        }
        ++report.rows;
        const auto& time = *cell.of(Side::before).front().time;
        for (const auto& point : change_points(seconds, rules).points) {
            const auto* run = runs[counted.numbers[point.first]];
            const auto* before = runs[counted.numbers[point.first - 1]];
            report.steps.push_back({key.benchmark, names.name(time.row).parameters, key.id, names.gpu(time.gpu).uuid,
                                    run->time, driver_text(run->driver), driver_text(before->driver), point.change,
                                    point.probability});
        }
    }
}

}  // namespace tocuda
