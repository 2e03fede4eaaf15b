// tocuda, Apache-2.0.
// A history cut into sides.
#include "gathering/equal_sides.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "gathering/paired_rows.hpp"

namespace tocuda {
namespace {

constexpr std::size_t starts_a_side = 3;

std::string conditions_of(const RunLine& run) {
    std::string text;
    for (const auto& [field, value] : fields_of(run)) text += field + "=" + value + "\n";
    for (const auto& gpu : run.gpus)
        for (const auto& [field, value] : fields_of(gpu)) text += field + "=" + value + "\n";
    return text;
}

// The sections of the starts from the first up to the last, which is left out.
std::vector<GatheredSection> cut(const std::vector<GatheredSection>& sections, const SideStarts& starts, std::size_t first, std::size_t last) {
    std::vector<GatheredSection> chosen;
    for (std::size_t i = 0; i < sections.size(); ++i)
        if (starts.of_section[i] >= first && starts.of_section[i] < last) chosen.push_back(sections[i]);
    return chosen;
}

}  // namespace

std::vector<std::vector<ComparedRow>> equal_sides(const RowNames& names, const std::vector<GatheredSection>& sections) {
    std::map<std::string, std::vector<GatheredSection>> alike;
    for (const auto& section : sections) alike[conditions_of(section.run)].push_back(section);
    std::vector<std::vector<ComparedRow>> comparisons;
    for (const auto& [conditions, mine] : alike) {
        const auto starts = starts_of(mine, false);
        for (std::size_t first = 0; first + 2 * starts_a_side <= starts.names.size(); first += starts_a_side) {
            GatheredSides sides{cut(mine, starts, first, first + starts_a_side), cut(mine, starts, first + starts_a_side, first + 2 * starts_a_side), sections};
            auto report = pair_rows(names, sides, ComparisonRules{}.freedom_min);
            std::vector<ComparedRow> rows;
            for (auto& one : report.rows) rows.push_back(std::move(one.row));
            if (!rows.empty()) comparisons.push_back(std::move(rows));
        }
    }
    return comparisons;
}

}  // namespace tocuda
