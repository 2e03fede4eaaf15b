// tocuda, Apache-2.0.
#include "tables/change_legend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace tocuda {
namespace {

constexpr double clock_change_least = 0.005;  // smaller changes explain nothing

char letter(std::size_t number) { return number < 26 ? static_cast<char>('a' + number) : '*'; }

bool is_change(ChangeVerdict verdict) { return verdict == ChangeVerdict::slower || verdict == ChangeVerdict::faster; }

}  // namespace

char ChangeLegend::mark_for(const std::string& words) {
    const auto found = std::find(notes.begin(), notes.end(), words);
    const auto number = static_cast<std::size_t>(found - notes.begin());
    if (found == notes.end()) notes.push_back(words);
    return letter(number);
}

std::string ChangeLegend::marks_for(const AnsweredRow& row) {
    std::string marks;
    if (!row.change.because.empty()) marks += mark_for(row.change.because);
    if (row.change.worth_a_look) marks += mark_for("worth another look: among so many rows it may be chance");
    if (is_change(row.change.verdict) && row.clock_change && std::abs(*row.clock_change) >= clock_change_least)
        marks += mark_for(fmt::format("SM clock {:+.1f} %", 100 * *row.clock_change));
    for (const auto& flag : row.flags) marks += mark_for(flag);
    return marks;
}

std::string ChangeLegend::text(const Paper& paper) const {
    std::string text;
    for (std::size_t i = 0; i < notes.size(); ++i)
        text += fmt::format("  {}  {}\n", letter(i), wrap(notes[i], 5, 5, paper.columns()));
    return text;
}

}  // namespace tocuda
