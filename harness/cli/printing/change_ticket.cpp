// tocuda, Apache-2.0.
// `compare --ticket`: the result as one paragraph of Markdown.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <ranges>
#include <tuple>

#include "model/parameter_values.hpp"
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
    if (const auto basis = basis_words(change); !basis.empty()) text += " (" + basis + ")";
    return text;
}

std::string runs_words(const ComparedSide& side) {
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
    for (const auto& row : rows | std::views::take(rows_named)) {
        const auto values = named_values(row.parameters);
        text += fmt::format("{} `{}`{}{} {:.2f} times as fast, {} against {}", text.empty() ? "" : ";", row.benchmark,
                            values.empty() ? "" : " ", values, times_as_fast(row), seconds_text(row.seconds_after),
                            seconds_text(row.seconds_before));
    }
    if (rows.size() > rows_named) text += fmt::format("; and {} more", rows.size() - rows_named);
    return text.empty() ? "" : text + ".";
}

}  // namespace

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
    const auto gpus = report.gpus.empty() ? "" : " On " + listed(report.gpus);
    auto says = attribution_words(report.attribution);
    if (report.models)
        if (const auto fast = models_words(*report.models); !fast.empty()) says = fast + "; " + says;
    if (!says.empty()) says[0] = static_cast<char>(std::toupper(says[0]));
    std::string claims;
    for (const auto& one : report.claims.verdicts)
        claims += fmt::format(" Claim {} (`{}` {}): {} -> {}.", one.claim, one.scenario, one.variant,
                              plain_verdict(one.before), plain_verdict(one.after));
    for (const auto& one : host_changes(report)) claims += " " + one + ".";
    const auto [before, after] = side_names(report);
    const auto rows = report.models ? models_rows(*report.models) : rows_words(report);
    return fmt::format("{}**{}.**{}{} {}.{}{}{} Runs: {} {}; {} {} (tocuda {}).\n",
                       report.simulated ? "**SIMULATED.** " : "", says, gpus, gpus.empty() ? "" : ":",
                       total_words(report), rows, failing_words(report), claims, before, runs_words(report.before),
                       after, runs_words(report.after),
                       report.after.runs.empty() ? "" : report.after.runs.back().run.suite.version);
}

}  // namespace tocuda
