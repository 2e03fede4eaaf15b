// tocuda, Apache-2.0.
// The answer of a page in one sentence: its title and its first card.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "comparison_input/run_fields.hpp"
#include "printing/change_table.hpp"
#include "printing/models_table.hpp"
#include "report/parts.hpp"
#include "report/rows.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr std::size_t most_fields = 3;

// "driver, kernel", or with two more: "driver, kernel, VBIOS and 2 more"
std::string changed_fields(const Attribution& attribution) {
    std::vector<std::string> names;
    for (const auto& one : attribution.changed) {
        const auto name = field_words(one.field);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    const auto more = names.size() > most_fields ? names.size() - most_fields : 0;
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// "driver 580.95.05: " where nothing else can be the cause and the rows are sure, else "since 2026-11-12 (driver,
// kernel changed): ".
std::string since_words(const ChangeReport& compared) {
    const auto& attribution = compared.attribution;
    const auto driver = std::ranges::find(attribution.changed, "driver.kernel_module", &FieldChange::field);
    if (attribution.is_cause && driver != attribution.changed.end()) return "driver " + *driver->after + ": ";
    const auto fields = changed_fields(attribution);
    return "since " + compared.after.runs.front().run.time.substr(0, 10) +
           (fields.empty() ? "" : " (" + fields + " changed)") + ": ";
}

// The clearest answer that some row has; rows that are undecided or the same come last.
std::string change_words_of(const ChangeReport& compared) {
    if (const auto failing = std::ranges::count_if(compared.rows, fails_now); failing > 0) {
        const auto& first = std::ranges::find_if(compared.rows, fails_now)->row;
        return since_words(compared) +
               fmt::format("{} of {} without a right result: {} ({})", failing,
                           counted(std::ssize(compared.rows), "row"), first.benchmark, first.invalid) +
               beside_words(compared);
    }
    for (const auto verdict :
         {ChangeVerdict::slower, ChangeVerdict::likely_slower, ChangeVerdict::faster, ChangeVerdict::likely_faster}) {
        const AnsweredRow* most = nullptr;
        std::ptrdiff_t count = 0;
        for (const auto& one : compared.rows) {
            if (one.change.verdict != verdict) continue;
            ++count;
            const auto size = [](const AnsweredRow& row) { return std::abs(row.change.change.value_or(0)); };
            if (!most || size(one) > size(*most)) most = &one;
        }
        if (!most) continue;
        const auto what = row_words(most->row.benchmark, most->row.parameters);
        const auto by = fmt::format("{:.1f} %", 100 * std::abs(most->change.change.value_or(0)));
        const auto clear = compared.attribution.only;
        return since_words(compared) +
               (count == 1 ? fmt::format("{} {} by {}", what, word(verdict), by)
                           : fmt::format("{} of {} {}, by up to {}: {}", count,
                                         counted(std::ssize(compared.rows), "row"), word(verdict), by, what)) +
               (clear ? "" : "; cause not separated") + unlike_words(compared) + aside_words(compared) +
               beside_words(compared);
    }
    if (const auto words = unlike_words(compared); !words.empty())
        return since_words(compared) + words.substr(2) + aside_words(compared) + beside_words(compared);
    const auto open = std::ranges::count(compared.rows, ChangeVerdict::undecided,
                                         [](const AnsweredRow& one) { return one.change.verdict; });
    if (compared.rows.empty() && compared.models) return models_words(*compared.models);
    if (compared.rows.empty()) return "";
    return since_words(compared) +
           (open == 0 ? fmt::format("no change in {}", counted(std::ssize(compared.rows), "row"))
                      : fmt::format("no row is sure to have changed, {} undecided{}", open, leaning_words(compared))) +
           all_groups_words(compared) + aside_words(compared) + beside_words(compared);
}

std::string measured_words(const Report& report) {
    const auto& rows = report.runs.back().measured.rows;
    const auto valid = std::ranges::count_if(rows, has_value);
    if (rows.empty()) return "";
    return counted(valid, "row") + " measured" +
           (valid == std::ssize(rows) ? "" : fmt::format(", {} without a value", std::ssize(rows) - valid));
}

}  // namespace

std::string verdict_words(const Report& report) {
    if (report.fleet) return standing_words(*report.fleet);
    if (!report.not_compared.empty()) return report.not_compared;
    if (!report.changes.empty())
        if (auto words = change_words_of(report.changes.back().report); !words.empty()) return words;
    if (auto words = claims_words(report); !words.empty()) return words;
    return measured_words(report);
}

std::string title_of(const Report& report) {
    if (report.runs.empty()) return memory_words(report.memory.front());
    const auto verdict = verdict_words(report);
    const auto gpus = gpus_words(report);
    const auto simulated = simulated_words(report);
    return fmt::format("{}{}, {}{}",
                       simulated.empty() || gpus.find(simulated) != std::string::npos ? "" : simulated + ": ", gpus,
                       report.runs.back().about.time.substr(0, 10), verdict.empty() ? "" : ": " + verdict);
}

}  // namespace tocuda::page
