// tocuda, Apache-2.0.
// Counts to a table for people and a document for programs.
#include "command/calibrate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <thread>

#include "command/paper.hpp"
#include "command/verb.hpp"
#include "comparison/paired_comparison.hpp"
#include "comparison/row_comparison.hpp"
#include "lines/json.hpp"
#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

using json::Json;

constexpr double most_alarms = 0.01;
constexpr double most_row_alarms = 0.001;
constexpr double least_found = 0.9;

std::vector<RowChange> rule(std::span<const ComparedRow> rows) { return compare_rows(rows); }

double part(std::int64_t count, std::int64_t of) { return of > 0 ? static_cast<double>(count) / static_cast<double>(of) : 0; }

// The 95 % interval of a rate (Clopper and Pearson).
double rate_at_most(std::int64_t count, std::int64_t of) {
    return count < of ? beta_quantile(0.975, static_cast<double>(count) + 1, static_cast<double>(of - count)) : 1;
}

double rate_at_least(std::int64_t count, std::int64_t of) {
    return count > 0 ? beta_quantile(0.025, static_cast<double>(count), static_cast<double>(of - count) + 1) : 0;
}

std::string percent(std::int64_t count, std::int64_t of, int places) {
    return of > 0 ? fmt::format("{:.{}f}", 100 * part(count, of), places) : "-";
}

const FoundChanges& two_percent(const Calibrated& counted) { return counted.found[1]; }

std::string line_of(const CalibrationRow& row) {
    const auto& counted = row.counted;
    const auto& two = two_percent(counted);
    return fmt::format("{:<21}{:>5}{:>6.2f}{:>8.3f}{:>6}{:>6}{:>6}{:>6}{:>6}{:>7}\n", row.noise, percent(counted.alarmed_comparisons, counted.comparisons, 2),
                       100 * row.alarms_at_most(), 1000 * part(counted.alarmed_rows, counted.rows), percent(counted.same_rows, counted.rows, 0),
                       percent(counted.found[0].found, counted.found[0].rows, 0), percent(two.found, two.rows, 0),
                       percent(counted.found[2].found, counted.found[2].rows, 0), percent(two.promised, two.rows, 0),
                       percent(two.promised_found, two.promised, 1));
}

std::string block_of(const std::vector<CalibrationRow>& rows, bool is_paired, const char* heading) {
    std::string text;
    for (const auto& row : rows)
        if (row.is_paired == is_paired) text += (text.empty() ? heading : "") + line_of(row);
    return text;
}

constexpr std::string_view explained =
    "any: comparisons with any alarm, where nothing was changed. <=: what that rate may be at most (the upper end of its 95 % Clopper-Pearson interval); "
    "the goal is 1 %. 1/1000: rows alarmed, of 1,000; the goal is 1. same: rows shown to be the same, in %. 1, 2, 5 %: rows made slower by as much that "
    "are found, in %. promised: rows that say they would show 2 % (their `detectable` is not above it), in %; kept: of those, found; the goal is 90 %.";

template <class Condition>
std::string names_where(const std::vector<CalibrationRow>& rows, const std::string& heading, const Condition& holds) {
    std::string names;
    for (const auto& row : rows)
        if (holds(row)) names += (names.empty() ? "" : "; ") + row.noise + (row.is_paired ? " (paired)" : "");
    return names.empty() ? names : wrap(heading + ": " + names, 0, 2) + "\n";
}

std::string missed_by(const std::vector<CalibrationRow>& rows) {
    return names_where(rows, "missed, false alarms", [&](const auto& row) { return row.has_many_alarms(); }) +
           names_where(rows, "missed, what is promised is found", [](const auto& row) { return row.breaks_its_promise(); }) +
           names_where(rows, "too few comparisons to show that the goals are met", [&](const auto& row) { return !row.is_missed() && !row.holds(); });
}

Json of_found(const FoundChanges& found) {
    return {{"change", found.change}, {"rows", found.rows}, {"found", found.found}, {"promised", found.promised}, {"promised_found", found.promised_found}};
}

Json of_row(const CalibrationRow& row) {
    const auto& counted = row.counted;
    auto found = Json::array();
    for (const auto& size : counted.found) found.push_back(of_found(size));
    return {{"noise", row.noise}, {"meaning", row.meaning}, {"compared", row.is_paired ? "rounds" : "starts"}, {"made_up", !row.is_recorded},
            {"comparisons", counted.comparisons},
            {"alarmed_comparisons", counted.alarmed_comparisons}, {"alarms_at_most", row.alarms_at_most()}, {"rows", counted.rows},
            {"alarmed_rows", counted.alarmed_rows}, {"same_rows", counted.same_rows}, {"undecided_rows", counted.undecided_rows}, {"found", found},
            {"holds", row.holds()}};
}

}  // namespace

double CalibrationRow::alarms_at_most() const { return rate_at_most(counted.alarmed_comparisons, counted.comparisons); }

bool CalibrationRow::has_many_alarms() const {
    return rate_at_least(counted.alarmed_comparisons, counted.comparisons) > most_alarms || rate_at_least(counted.alarmed_rows, counted.rows) > most_row_alarms;
}

bool CalibrationRow::breaks_its_promise() const {
    const auto& two = two_percent(counted);
    return rate_at_most(two.promised_found, two.promised) < least_found;
}

bool CalibrationRow::holds() const {
    const auto& two = two_percent(counted);
    return alarms_at_most() <= most_alarms && part(counted.alarmed_rows, counted.rows) <= most_row_alarms &&
           (two.promised == 0 || part(two.promised_found, two.promised) >= least_found);
}

std::string calibration_table(const std::vector<CalibrationRow>& rows, const CalibrateOptions& options) {
    std::string text = fmt::format("{} comparisons of each noise, {} rows each; seed {}\n", options.comparisons, options.rows, options.seed);
    text += "                      nothing was changed         made slower by  promised\n";
    text += "noise                any %    <=   1/1000  same   1 %   2 %   5 %   2 %  kept %\n";
    text += block_of(rows, false, "old against new: 3 starts a side, 20 degrees of freedom\n");
    text += block_of(rows, true, "\npaired (bench --against): 6 rounds, then 14 fresh ones\n");
    text += "\n" + wrap(explained, 0, 0) + "\n\n";
    for (const auto& row : rows)
        if (!row.is_paired) text += fmt::format("{:<21}{}\n", row.noise, wrap(row.meaning, 21, 21));
    const bool has_recorded = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.is_recorded; });
    text += has_recorded ? "\nAll but the recorded rows are made-up noise" : "\nAll of this noise is made up";
    text += ": nothing of it was measured.\n";
    return text + missed_by(rows);
}

std::string calibration_document(const std::vector<CalibrationRow>& rows, const CalibrateOptions& options) {
    auto list = Json::array();
    for (const auto& row : rows) list.push_back(of_row(row));
    return json::pretty({{"comparisons", options.comparisons}, {"rows", options.rows}, {"seed", options.seed}, {"noises", list}});
}

int calibrate(const CalibrateOptions& options) {
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    CalibrationPlan plan{.comparisons = options.comparisons, .seed = options.seed, .threads = options.jobs > 0 ? options.jobs : cores};
    plan.shape.rows = options.rows;
    std::vector<CalibrationRow> rows;
    for (const bool is_paired : {false, true}) {
        plan.paired_rounds = is_paired ? PairedRules{}.first_rounds + PairedRules{}.fresh_rounds : 0;
        for (std::size_t kind = 0; kind < noise_words.size(); ++kind) {
            const auto& words = noise_words[kind];
            const auto counted = calibrate(static_cast<Noise>(kind), plan, is_paired ? Rule(compare_as_pairs) : Rule(rule));
            rows.push_back({.noise = std::string(words.name), .meaning = std::string(words.meaning), .is_paired = is_paired, .counted = counted});
        }
    }
    if (!options.recorded.empty())
        rows.push_back({.noise = "recorded", .meaning = "starts of this history against each other, where nothing was changed", .is_recorded = true,
                        .counted = calibrate(options.recorded, rule)});
    fmt::print("{}", options.json ? calibration_document(rows, options) + "\n" : calibration_table(rows, options));
    if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.is_missed(); })) return finding;
    const bool is_shown = std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.holds(); });
    return is_shown || !options.strict ? as_expected : undecided;
}

}  // namespace tocuda
