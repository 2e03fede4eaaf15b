// tocuda, Apache-2.0.
// `compare --ticket`: the result as one paragraph of Markdown.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "comparison_input/paired_rows.hpp"
#include "model/parameter_values.hpp"
#include "model/words.hpp"
#include "printing/change_table.hpp"
#include "printing/models_table.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t rows_named = 5;
constexpr std::size_t runs_named = 4;
constexpr std::size_t id_digits = 8;
constexpr std::size_t digest_digits = 12;

std::string row_words(const AnsweredRow& one) {
    const auto& [row, change, before, after, rate, clock, flags, of_gpus] = one;
    const auto values = named_values(row.parameters);
    auto text = fmt::format("`{}`{}{} {}, {:+.2f} % of time", row.benchmark, values.empty() ? "" : " ", values,
                            word(change.verdict), 100 * change.change.value_or(0));
    if (change.interval)
        text += fmt::format(" ({:+.2f} to {:+.2f} %)", 100 * change.interval->low, 100 * change.interval->high);
    if (before && after) text += fmt::format(", {} -> {}", level_text(rate, *before), level_text(rate, *after));
    text += fmt::format(", {} against {} starts", change.starts_before, change.starts_after);
    if (const auto reason = reason_words(change); !reason.empty()) text += " (" + reason + ")";
    return text;
}

std::string runs_words(const ComparedSide& side) {
    if (side.runs.empty()) return "none";
    std::string text;
    for (std::size_t i = 0; i < std::min(side.runs.size(), runs_named); ++i) {
        const auto& [run, digest] = side.runs[i];
        text += fmt::format("{}`{}` (sha256 `{}`)", i == 0 ? "" : ", ", run.run.substr(0, id_digits),
                            digest.substr(0, digest_digits));
    }
    if (side.runs.size() > runs_named) text += fmt::format(" and {} more", side.runs.size() - runs_named);
    return text;
}

// " `BENCHMARK` bytes=64MiB has no right result (new: wrong: 1 of 3 processes)."
std::string failing_words(const ChangeReport& report) {
    std::string text;
    std::size_t named = 0;
    for (const auto& one : report.rows) {
        if (!fails_now(one) || ++named > rows_named) continue;
        const auto values = named_values(one.row.parameters);
        text += fmt::format(" `{}`{}{} has no right result ({}).", one.row.benchmark, values.empty() ? "" : " ", values,
                            one.row.invalid);
    }
    if (named > rows_named) text += fmt::format(" So have {} more rows.", named - rows_named);
    return text;
}

// Of two models: the rows of the largest sizes in which they differ most.
std::string models_rows(const TwoModels& models) {
    auto rows = rows_beside(models, false);
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const BesideRow& row) { return std::abs(std::log(times_as_fast(row))); });
    std::string text;
    for (std::size_t i = 0; i < std::min(rows.size(), rows_named); ++i) {
        const auto& row = rows[i];
        const auto values = named_values(row.parameters);
        text += fmt::format("{} `{}`{}{} {:.2f} times as fast, {} against {}", text.empty() ? "" : ";", row.benchmark,
                            values.empty() ? "" : " ", values, times_as_fast(row), seconds_text(row.seconds_after),
                            seconds_text(row.seconds_before));
    }
    if (rows.size() > rows_named) text += fmt::format("; and {} more", rows.size() - rows_named);
    return text.empty() ? "" : text + ".";
}

// " Not sure of 5 rows: 1 of 3 starts on the old side."
std::string open_words(const ChangeReport& report) {
    std::map<std::string, int> rows;  // by reason
    for (const auto& one : report.rows)
        if (one.change.verdict == ChangeVerdict::undecided || is_likely(one.change.verdict)) ++rows[one.change.because];
    std::string text;
    for (const auto& [why, count] : rows)
        if (!why.empty()) text += fmt::format(" Not sure of {}: {}.", counted(count, "row"), why);
    return text;
}

std::string in_sentence(std::string words) {
    if (!words.empty()) words[0] = static_cast<char>(std::toupper(words[0]));
    return words;
}

// " The words."
std::string full_sentence(std::string words) {
    const bool asks = words.ends_with('?');
    return words.empty() ? "" : " " + in_sentence(std::move(words)) + (asks ? "" : ".");
}

}  // namespace

std::string nothing_words(const ChangeReport& report) {
    const std::string nothing = "nothing could be compared, because ";
    for (const auto& [side, name] : {std::pair(&report.before, "old"), std::pair(&report.after, "new")})
        if (side->runs.empty())
            return fmt::format("{}nothing was read on the {} side{}", nothing, name,
                               report.altered > 0 ? " (altered sections are skipped)" : "");
    if (!report.rows.empty())
        return nothing + "no row has a valid time on both sides (" + report.rows.front().row.invalid + ")";
    if (report.unpaired.empty()) return nothing + "no claim was tested on both sides";
    return nothing + "no row has a counterpart (" +
           joined(report.unpaired, "; ",
                  [](const Unpaired& one) { return counted(one.count, "row") + ", " + one.why; }) +
           ")";
}

std::string finding_words(const ChangeReport& report) {
    using enum ChangeVerdict;
    if (report.models)
        if (auto fast = models_words(*report.models); !fast.empty()) return fast;
    if (!compared_anything(report)) return nothing_words(report);
    std::vector<std::string> found;
    const auto add = [&](std::ptrdiff_t count, const std::string& what) {
        if (count > 0) found.push_back(fmt::format("{} {}", count, what));
    };
    const auto rows = std::ssize(report.rows);
    const auto verdicts = [&](ChangeVerdict verdict) {
        return std::ranges::count(report.rows, verdict, [](const AnsweredRow& one) { return one.change.verdict; });
    };
    add(std::ranges::count_if(report.rows, fails_now), "without a right result");
    for (const auto verdict : {slower, faster, likely_slower, likely_faster})
        add(verdicts(verdict), std::string(word(verdict)));
    auto text = found.empty() ? "" : joined(found) + " of " + counted(rows, "row");
    if (found.empty() && rows > 0)
        text = verdicts(undecided) > 0 ? fmt::format("no row is sure to have changed, {} of {} undecided{}",
                                                     verdicts(undecided), rows, leaning_words(report))
                                       : "no change in " + counted(rows, "row");
    const auto& claims = report.claims;
    for (const auto& [changed, what] :
         {std::pair(std::ssize(claims.verdicts), "verdict"), std::pair(std::ssize(claims.texts), "error text")})
        if (changed > 0 || (rows == 0 && claims.compared > 0))
            text += (text.empty() ? "" : ", ") + counted(changed, what) + " changed";
    return text;
}

// The largest changes of rows that changed or lean to a change.
std::string rows_words(const ChangeReport& report) {
    std::vector<const AnsweredRow*> rows;
    for (const auto& one : report.rows)
        if (is_change(one.change.verdict) || is_likely(one.change.verdict) || leaning(one.change)) rows.push_back(&one);
    const auto importance = [](const AnsweredRow* one) {
        return std::tuple(!leaning(one->change), !is_likely(one->change.verdict),
                          std::abs(one->change.change.value_or(0)));
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto* left, const auto* right) { return importance(left) > importance(right); });
    std::string text;
    for (std::size_t i = 0; i < std::min(rows.size(), rows_named); ++i)
        text += (i == 0 ? " " : "; ") + row_words(*rows[i]);
    if (rows.size() > rows_named) text += fmt::format("; and {} more", rows.size() - rows_named);
    return text.empty() ? "" : text + ".";
}

std::string change_ticket(const ChangeReport& report) {
    auto text = (report.simulated ? "**SIMULATED.** **" : "**") + in_sentence(finding_words(report)) + ".**";
    text += report.models ? models_rows(*report.models) : rows_words(report);
    text += failing_words(report) + open_words(report);
    for (const auto& one : report.claims.verdicts)
        text += fmt::format(" Claim {} (`{}` {}): {} -> {}.", one.claim, one.scenario, one.variant,
                            plain_verdict(one.before), plain_verdict(one.after));
    if (compared_anything(report)) text += full_sentence(total_words(report));
    for (auto& one : notes_on(report)) text += full_sentence(std::move(one));
    if (report.models || (!report.before.runs.empty() && !report.after.runs.empty()))
        text += full_sentence(attribution_words(report.attribution));
    if (!report.gpus.empty()) text += " On " + listed(report.gpus) + ".";
    const auto [before, after] = side_names(report);
    text += fmt::format(" Runs: {} {}; {} {}", before, runs_words(report.before), after, runs_words(report.after));
    if (!report.after.runs.empty()) text += " (tocuda " + report.after.runs.back().run.suite.version + ")";
    return text + ".\n";
}

}  // namespace tocuda
