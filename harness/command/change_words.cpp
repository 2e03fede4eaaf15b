// tocuda, Apache-2.0.
// The lines before and after the table of changes.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "command/change_table.hpp"
#include "command/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t words_column = 9;

std::string line(const std::string& head, const std::string& text) {
    return pad(head, words_column) + wrap(text, words_column, words_column) + "\n";
}

std::string side_words(const ComparedSide& side, bool by_driver_load) {
    const auto unit = by_driver_load ? counted(side.starts, "driver load") : counted(side.starts, "session");
    const auto first = side.first_time.substr(0, side.first_time.find('T'));
    const auto last = side.last_time.substr(0, side.last_time.find('T'));
    const auto files =
        side.files > 0 ? counted(side.files, "file") + ", " : "";  // not counted per side if both come from one folder
    return files + counted(side.sections, "run") + ", " + unit + ", " + (first == last ? first : first + " to " + last);
}

std::string history_words(const ChangeReport& report) {
    std::map<std::string, int> rows;
    for (const auto& one : report.rows)
        if (!one.row.history.of.empty()) ++rows[one.row.history.of];
    std::string text;
    for (const auto& [of, count] : rows) text += (text.empty() ? "" : "; ") + of + " for " + counted(count, "row");
    return text;
}

// Cuts a long text down to the part where the two differ.
std::string excerpt(const std::string& text, std::size_t differs) {
    constexpr std::size_t before = 60;
    constexpr std::size_t longest = 200;
    if (text.empty()) return "(no error)";
    const auto from =
        text.size() <= longest || differs <= before ? 0 : std::min(differs - before, text.size() - longest);
    auto part = text.substr(from, longest);
    std::replace(part.begin(), part.end(), '\n', ' ');
    return (from > 0 ? "..." : "") + part + (from + longest < text.size() ? "..." : "");
}

std::string where(const std::string& scenario, const std::string& variant) {
    return scenario + (variant == "default" ? "" : " " + variant);
}

}  // namespace

std::string simulated_words(const Paper& paper) {
    return paper.strong("SIMULATED") + ": times of simulated GPUs say nothing about real ones\n\n";
}

std::string compared_words(const ChangeReport& report, const Paper& paper) {
    std::string text;
    if (report.simulated) text += simulated_words(paper);
    text += line("old", side_words(report.before, report.by_driver_load)) +
            line("new", side_words(report.after, report.by_driver_load));
    for (const auto& gpu : report.gpus) text += line("on", gpu);
    if (const auto history = history_words(report); !history.empty()) text += line("history", history);
    text += line("changed", report.attribution.text);
    if (!report.same_starts.empty())
        text += line("note", counted(static_cast<int>(report.same_starts.size()), "start") +
                                 " on both sides: rows measured in it cannot be called slower or faster");
    return text;
}

std::string claim_words(const ChangeReport& report, const Paper& paper) {
    std::string text;
    for (const auto& one : report.claims.verdicts)
        text += wrap(fmt::format("! {} {}: {} -> {}", where(one.scenario, one.variant), one.claim, one.before,
                                 paper.strong(one.after)),
                     0, 2) +
                "\n";
    for (const auto& one : report.claims.texts) {
        const auto differs = static_cast<std::size_t>(
            std::mismatch(one.before.begin(), one.before.end(), one.after.begin(), one.after.end()).first -
            one.before.begin());
        text +=
            wrap(fmt::format("! {} {}: {}", where(one.scenario, one.variant), one.key, paper.strong("different text")),
                 0, 2) +
            "\n";
        text += "    old  " + wrap(excerpt(one.before, differs), 9, 9) + "\n    new  " +
                wrap(excerpt(one.after, differs), 9, 9) + "\n";
    }
    return text;
}

std::string unpaired_words(const ChangeReport& report) {
    std::string text;
    for (const auto& [why, count, first] : report.unpaired) {
        std::string names;
        for (const auto& name : first) names += (names.empty() ? "" : ", ") + name;
        if (static_cast<int>(first.size()) < count) names += ", ...";
        text += wrap(fmt::format("not compared: {}, {}: {}", counted(count, "row"), why, names), 0, 2) + "\n";
    }
    return text;
}

std::string total_words(const ChangeReport& report) {
    std::map<ChangeVerdict, int> counts;
    for (const auto& one : report.rows) ++counts[one.change.verdict];
    auto text = counted(static_cast<int>(report.rows.size()), "row") + ":";
    for (const auto verdict : {ChangeVerdict::slower, ChangeVerdict::faster, ChangeVerdict::same,
                               ChangeVerdict::undecided, ChangeVerdict::invalid})
        text += fmt::format(" {} {},", counts[verdict], word(verdict));
    text.back() = ';';
    if (report.rows.empty()) text.clear();
    const auto& claims = report.claims;
    if (claims.compared > 0 || claims.varying > 0 || report.rows.empty()) {
        text += fmt::format("{}{}: {} changed", text.empty() ? "" : " ", counted(claims.compared, "verdict"),
                            claims.verdicts.size());
        if (claims.varying > 0) text += fmt::format(", {} differ within a side", claims.varying);
        if (claims.one_side > 0) text += fmt::format(", {} on one side only", claims.one_side);
        text += fmt::format("; {} changed;", counted(static_cast<int>(claims.texts.size()), "error text"));
    }
    text.pop_back();
    return wrap(text, 0, 2);
}

}  // namespace tocuda
