// tocuda, Apache-2.0.
#include "command/change_legend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "command/bench_units.hpp"
#include "command/paper.hpp"
#include "command/quantities.hpp"

namespace tocuda {
namespace {

constexpr double clock_change_least = 0.005;  // smaller changes explain nothing

char letter(std::size_t number) { return number < 26 ? static_cast<char>('a' + number) : '*'; }

bool is_change(ChangeVerdict verdict) { return verdict == ChangeVerdict::slower || verdict == ChangeVerdict::faster; }

std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
}

// Returns " --bytes 64MiB" if all rows have that size.
std::string bytes_of(const std::vector<const AnsweredRow*>& rows) {
    std::set<std::int64_t> sizes;
    for (const auto* one : rows) {
        const auto found = one->row.parameters.find("bytes");
        const auto* bytes =
            found == one->row.parameters.end() ? nullptr : std::get_if<std::int64_t>(&found->second.held);
        if (!bytes) return "";
        sizes.insert(*bytes);
    }
    return sizes.size() == 1 ? " --bytes " + without_spaces(exact_amount(*sizes.begin())) : "";
}

// Returns the command that measures these rows again.
std::string command_for(const std::vector<const AnsweredRow*>& rows) {
    constexpr std::size_t names_most = 3;
    std::set<std::string> names;
    for (const auto* one : rows) names.insert(one->row.benchmark);
    const bool at_once = std::all_of(rows.begin(), rows.end(), [](const AnsweredRow* one) {
        return one->row.parameters.contains(at_once_parameter);
    });
    std::string words;
    for (const auto& name : names) words += " " + name;
    if (names.size() > names_most) {
        const auto folder = names.begin()->substr(0, names.begin()->find('/') + 1);
        const bool shared = !folder.empty() && names.rbegin()->starts_with(folder);
        words = shared ? " " + folder : "";
    }
    return "`tocuda bench" + words + bytes_of(rows) + (at_once ? " --gpus all --together" : "") + "`";
}

}  // namespace

std::size_t ChangeLegend::note_of(const std::string& words) {
    const auto found = std::find_if(notes.begin(), notes.end(), [&](const Note& note) { return note.words == words; });
    const auto number = static_cast<std::size_t>(found - notes.begin());
    if (found == notes.end()) notes.push_back({.words = words});
    return number;
}

char ChangeLegend::mark_for(const std::string& words) { return letter(note_of(words)); }

std::string ChangeLegend::marks_for(const AnsweredRow& row) {
    std::string marks;
    if (!row.change.because.empty()) {
        const auto number = note_of(row.change.because);
        auto& note = notes[number];
        marks += letter(number);
        if (row.change.starts_missing > 0) note.to_decide.push_back(&row);
        note.missing = std::max(note.missing, row.change.starts_missing);
        note.history_helps = note.history_helps || row.change.freedom < ComparisonRules{}.freedom_min;
    }
    if (row.change.worth_a_look) marks += mark_for("worth another look: among so many rows it may be chance");
    if (is_change(row.change.verdict) && row.clock_change && std::abs(*row.clock_change) >= clock_change_least)
        marks += mark_for(fmt::format("SM clock {:+.1f} %", 100 * *row.clock_change));
    for (const auto& flag : row.flags) marks += mark_for(flag);
    return marks;
}

std::string ChangeLegend::text(bool by_driver_load) const {
    std::string text;
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const auto& note = notes[i];
        auto words = note.words;
        if (!note.to_decide.empty())
            words += fmt::format("; {} more start{} would decide{}: before each, {}, then run", note.missing,
                                 note.missing == 1 ? "" : "s",
                                 note.history_helps ? " (some of them may be in --history)" : "",
                                 by_driver_load ? "reboot or reload the driver" : "wait ten minutes or reboot");
        text += fmt::format("  {}  {}\n", letter(i), wrap(words, 5, 5));
        // On a separate line, so that it can be copied.
        if (!note.to_decide.empty()) text += fmt::format("     {}\n", wrap(command_for(note.to_decide), 5, 7));
    }
    return text;
}

}  // namespace tocuda
