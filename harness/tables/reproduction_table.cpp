// tocuda, Apache-2.0.
#include "tables/reproduction_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "gathering/run_fields.hpp"
#include "model/parameter_text.hpp"
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

}  // namespace tocuda
