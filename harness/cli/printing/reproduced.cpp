// tocuda, Apache-2.0.
#include "printing/reproduced.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "comparison_input/attribution.hpp"
#include "comparison_input/run_fields.hpp"
#include "comparison_rules/prediction.hpp"
#include "model/parameter_values.hpp"
#include "request/row_choice.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t numbers_column = 27;

std::string value(const Value& held) {
    if (const auto* seconds = std::get_if<double>(&held.held)) return seconds_text(*seconds);
    return std::holds_alternative<std::monostate>(held.held) ? "-" : plain(held);
}

const double* seconds_of(const Value& held) { return std::get_if<double>(&held.held); }

std::string signed_percent(double part) { return part == 0 ? "0" : fmt::format("{:+.2f}", 100 * part); }

std::string change(const ReproducedRow& row) {
    const auto* before = seconds_of(row.before);
    const auto* after = seconds_of(row.after);
    return before && after ? signed_percent(*after / *before - 1) : "";
}

std::string interval(const ReproducedRow& row) {
    const auto* before = seconds_of(row.before);
    if (before && row.interval && row.interval->low == row.interval->high) return "exact";
    return before && row.interval ? signed_percent(row.interval->low / *before - 1) + " " +
                                        signed_percent(row.interval->high / *before - 1)
                                  : "";
}

std::string verdict(const ReproducedRow& row, const Paper& paper) {
    const auto said = word(row.verdict);
    return row.verdict == Reproduced::outside   ? paper.strong(said)
           : row.verdict == Reproduced::skipped ? paper.faint(said)
                                                : std::string(said);
}

std::string row_text(const ReproducedRow& row, const Paper& paper) {
    const auto head = "  " + wrap(row.label, 2, 4, paper.columns());
    std::string text =
        columns_of(head) < numbers_column ? pad(head, numbers_column) : head + "\n" + std::string(numbers_column, ' ');
    text += fmt::format("{:>11} {:>11} {:>7} {:>13} {}\n", value(row.before), value(row.after), change(row),
                        interval(row), verdict(row, paper));
    if (!row.because.empty() && row.verdict != Reproduced::inside)
        text += "    " + wrap(row.because, 4, 4, paper.columns()) + "\n";
    return text;
}

// Reservations about rows that are inside, each printed once.
std::string reservations(const std::vector<ReproducedRow>& rows, const Paper& paper) {
    std::set<std::string> words;
    for (const auto& row : rows)
        if (row.verdict == Reproduced::inside && !row.because.empty()) words.insert(row.because);
    std::string text;
    for (const auto& one : words) text += wrap(one, 0, 0, paper.columns()) + "\n";
    return text.empty() ? "" : text + "\n";
}

std::string differences_text(const Attribution& differs, const Paper& paper) {
    std::string text;
    const auto told = [](const std::string& field, const std::optional<std::string>& one) {
        return one ? value_words(field, *one) : std::string("not recorded");
    };
    for (const auto* changes : {&differs.changed, &differs.unknown})
        for (const auto& [field, before, after] : *changes)
            text += wrap(fmt::format("  {}: {} -> {}", field_words(field), told(field, before), told(field, after)), 0,
                         4, paper.columns()) +
                    "\n";
    return text.empty() ? "no recorded difference from then\n" : "differences from then:\n" + text;
}

// Returns -1 if it is not a GPU of the run line.
int place_of(const std::string& uuid, const RunLine& run) {
    for (const auto& gpu : run.gpus)
        if (gpu.uuid == uuid && !uuid.empty()) return gpu.index;
    return -1;
}

auto identity_of(const FileRow& row, const RunLine& run) {
    return std::tuple(row.summary.id, row.summary.device, place_of(row.summary.gpu, run),
                      place_of(row.summary.peer, run));
}

const FileRow* counterpart(const FileRow& row, const RunLine& run, const std::vector<FileRow>& others,
                           const RunLine& their_run) {
    const auto found = std::ranges::find_if(
        others, [&](const FileRow& other) { return identity_of(row, run) == identity_of(other, their_run); });
    return found == others.end() ? nullptr : &*found;
}

// Sorts by name, and numbers by value.
std::string order_of(const FileRow& row) {
    std::string text = row.summary.benchmark;
    for (const auto& [name, value] : row.summary.parameters) {
        const auto* number = std::get_if<std::int64_t>(&value.held);
        text += "\n" + name + (number ? fmt::format("{:020}", *number) : plain(value));
    }
    return text;
}

std::string not_ok(const std::string& when, const RowSummary& row) {
    return when + " it was " + std::string(word(row.status)) + ": " + row.because;
}

// Sets the reason if nothing can be predicted, and `outside` if the row itself is the cause.
void judge_status(ReproducedRow& row, const FileRow& before, const FileRow* after) {
    if (before.summary.status != Status::ok) row.because = not_ok("when recorded", before.summary);
    else if (!after) row.because = "not measured now";
    else if (after->summary.status != Status::ok) row.because = not_ok("now", after->summary);
    if (before.summary.status != Status::ok || !after || after->summary.status == Status::ok) return;
    const bool could_not_be_tried =
        after->summary.status == Status::skipped || after->summary.status == Status::invalid;
    if (!could_not_be_tried) row.verdict = Reproduced::outside;
}

RepeatedRow asked_of(const FileRow& before, const FileRow& after) {
    RepeatedRow row;
    for (const auto& medians : before.medians) row.old_starts.push_back({{}, medians});
    for (const auto& medians : after.medians)
        row.new_processes.insert(row.new_processes.end(), medians.begin(), medians.end());
    return row;
}

void take_answer(ReproducedRow& row, const RowRepetition& answer, const RowSummary& now) {
    row.because = answer.because;
    if (!answer.change || !answer.interval || !now.median_seconds) return;
    const double before = *now.median_seconds / (1 + *answer.change);
    row.before = before;
    row.after = *now.median_seconds;
    row.interval = Range{before * (1 + answer.interval->low), before * (1 + answer.interval->high)};
    row.verdict = answer.verdict == Repeated::inside    ? Reproduced::inside
                  : answer.verdict == Repeated::outside ? Reproduced::outside
                                                        : Reproduced::skipped;
}

const ClaimVerdict* find_claim(const Row* row, const std::string& id) {
    if (!row) return nullptr;
    const auto found = std::ranges::find_if(row->claims, [&](const ClaimVerdict& one) { return one.id == id; });
    return found == row->claims.end() ? nullptr : &*found;
}

// An undecided verdict contradicts nothing; neither does a deadline, which a slow machine may miss whatever the claim.
bool is_decided(const Row& row, const ClaimVerdict& claim) {
    const bool ran_out_of_time = claim.verdict == Verdict::broken && row.evidence.outcome.ended == "timeout";
    return claim.verdict != Verdict::inconclusive && !ran_out_of_time;
}

// A verdict that differs is `outside`, unless either of the two was skipped or undecided.
ReproducedRow reproduced_claim(const Row& row, const ClaimVerdict& claim, const Row* again) {
    const auto name = row.name + " " + row.variant + " " + claim.id;
    ReproducedRow answer{.id = name,
                         .name = name,
                         .heading = row.name,
                         .label = row.variant + " " + claim.id,
                         .before = std::string(word(claim.verdict))};
    const auto* now = find_claim(again, claim.id);
    if (now) answer.after = std::string(word(now->verdict));
    if (!now) answer.because = "not run now";
    else if (again->evidence.device != row.evidence.device) answer.because = "observed on a different kind of device";
    else if (claim.verdict == Verdict::skipped || now->verdict == Verdict::skipped)
        answer.because = "a need was not met";
    else if (now->verdict == claim.verdict) answer.verdict = Reproduced::inside;
    else if (!is_decided(*again, *now)) answer.because = "not decided now: " + now->because;
    else if (!is_decided(row, claim)) answer.because = "not decided when it was recorded: " + claim.because;
    else answer.verdict = Reproduced::outside;
    if (answer.verdict == Reproduced::outside) answer.because = now->because;
    return answer;
}

}  // namespace

std::string reproduction_table(const Reproduction& reproduction, const Paper& paper) {
    std::string text = paper.faint(
        fmt::format("{:{}}{:>11} {:>11} {:>7} {:>13}\n", "", numbers_column, "recorded", "now", "%", "expected %"));
    std::string heading;
    for (const auto& row : reproduction.rows) {
        if (row.heading != heading) text += (heading.empty() ? "" : "\n") + paper.strong(row.heading) + "\n";
        heading = row.heading;
        text += row_text(row, paper);
    }
    return text + "\n" + reservations(reproduction.rows, paper) + differences_text(reproduction.differs, paper);
}

std::string reproduction_totals(const Reproduction& reproduction) {
    const auto count = [&](Reproduced verdict) {
        return std::count_if(reproduction.rows.begin(), reproduction.rows.end(),
                             [&](const ReproducedRow& row) { return row.verdict == verdict; });
    };
    const auto* simulated = reproduction.device == Device::simulated ? "SIMULATED: " : "";
    const auto* noun = reproduction.rows.size() == 1 ? "row" : "rows";
    return fmt::format("{}{} {}: {} inside, {} outside, {} skipped", simulated, reproduction.rows.size(), noun,
                       count(Reproduced::inside), count(Reproduced::outside), count(Reproduced::skipped));
}

std::vector<ReproducedRow> reproduced_rows(const std::vector<SectionRows>& before, const SectionRows& after) {
    auto old_rows = file_rows(before);
    std::ranges::stable_sort(
        old_rows, [](const FileRow& left, const FileRow& right) { return order_of(left) < order_of(right); });
    const auto new_rows = file_rows({&after, 1});
    std::vector<ReproducedRow> rows;
    std::vector<RepeatedRow> asked;
    std::vector<std::pair<std::size_t, const FileRow*>> places;
    for (const auto& old_row : old_rows) {
        const auto* new_row = counterpart(old_row, before[old_row.sections.front()].run, new_rows, after.run);
        const auto& summary = old_row.summary;
        rows.push_back({.id = summary.id,
                        .name = name_of(summary),
                        .heading = summary.benchmark,
                        .label = named_values(summary.parameters)});
        judge_status(rows.back(), old_row, new_row);
        if (!rows.back().because.empty()) continue;
        asked.push_back(asked_of(old_row, *new_row));
        places.emplace_back(rows.size() - 1, new_row);
    }
    const auto answers = judge_repetition(asked);
    for (std::size_t number = 0; number < asked.size(); ++number)
        take_answer(rows[places[number].first], answers[number], places[number].second->summary);
    return rows;
}

std::vector<ReproducedRow> reproduced_claims(const std::vector<Row>& before, const std::vector<Row>& after) {
    std::vector<ReproducedRow> rows;
    for (const auto& row : before) {
        const auto again = std::ranges::find_if(
            after, [&](const Row& one) { return one.name == row.name && one.variant == row.variant; });
        for (const auto& claim : row.claims)
            rows.push_back(reproduced_claim(row, claim, again == after.end() ? nullptr : &*again));
    }
    return rows;
}

Attribution differences(const RunLine& before, const RunLine& after) {
    SideFields old_side;
    SideFields new_side;
    old_side.add(fields_of(before));
    new_side.add(fields_of(after));
    for (std::size_t gpu = 0; gpu < std::min(before.gpus.size(), after.gpus.size()); ++gpu) {
        old_side.add_gpu(static_cast<int>(gpu), before.gpus[gpu]);
        new_side.add_gpu(static_cast<int>(gpu), after.gpus[gpu]);
    }
    return attribute(old_side, new_side);
}

}  // namespace tocuda
