// tocuda, Apache-2.0.
#include "comparison_input/driver_history.hpp"

#include <algorithm>

#include "comparison_input/paired_rows.hpp"

namespace tocuda {
namespace {

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
                                     const ComparisonRules& rules, const AssumedNoise& assumed) {
    const auto drivers = by_driver(sections);
    std::vector<DriverStep> steps;
    for (std::size_t i = 1; i < drivers.size(); ++i) {
        auto sides = sides_of(drivers, i);
        steps.push_back({drivers[i - 1].driver, drivers[i].driver, compare_sides(names, sides, rules, assumed)});
    }
    return steps;
}

}  // namespace tocuda
