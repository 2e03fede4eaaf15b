// tocuda, Apache-2.0.
// Two errors, of which the larger interval counts: that of the processes of both sessions, and that of sessions, which
// includes the former.
#include "comparison_rules/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "comparison_rules/log_scale.hpp"
#include "comparison_rules/row_estimate.hpp"
#include "statistics/distributions.hpp"
#include "statistics/multiple_testing.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

struct Error {
    double size = 0;
    double freedom = 0;

    double probability(double change) const {
        if (!(freedom > 0) || change == 0) return 1;
        return size > 0 ? 2 * student_cumulative(-std::abs(change) / size, freedom) : 0;
    }
    double half_width(double level) const { return freedom > 0 ? student_quantile(1 - level / 2, freedom) * size : 0; }
};

struct Estimated {
    std::string because{};
    double change = 0;
    Error processes{};
    Error starts{};

    bool is_known() const { return because.empty(); }
    double probability() const {
        if (processes.freedom > 0 && starts.freedom > 0)
            return std::max(processes.probability(change), starts.probability(change));
        return processes.freedom > 0 ? processes.probability(change) : starts.probability(change);
    }
};

bool has_wrong_time(const RepeatedRow& row) {
    return !std::all_of(row.new_processes.begin(), row.new_processes.end(), is_time) ||
           has_wrong_time(row.old_starts) || has_wrong_time(row.history);
}

std::vector<double> logarithms(const std::vector<double>& seconds) {
    std::vector<double> values;
    for (const double value : seconds) values.push_back(std::log(value));
    return values;
}

// The variance of processes within a start, pooled over old and new; the medians of both contribute.
Error error_of_processes(const RepeatedRow& row) {
    std::vector<std::vector<double>> groups{logarithms(row.new_processes)};
    std::vector<double> parts;
    for (const auto& start : row.old_starts) {
        if (start.process_medians.empty()) continue;
        groups.push_back(logarithms(start.process_medians));
        parts.push_back(median_variance(start.process_medians.size()));
    }
    const double of_old = median(parts) * median_variance(parts.size());
    const auto spread = pooled(std::move(groups));
    return {spread.deviation() * std::sqrt(of_old + median_variance(row.new_processes.size())),
            static_cast<double>(spread.freedom)};
}

Error error_of_starts(const RepeatedRow& row, const std::vector<double>& old_values) {
    std::vector<std::vector<double>> groups{old_values};
    for (const auto& group : row.history.groups) groups.push_back(values_of(group));
    const auto spread = pooled(std::move(groups));
    return {spread.deviation() * std::sqrt(1 + median_variance(old_values.size())),
            static_cast<double>(spread.freedom)};
}

Estimated estimated(const RepeatedRow& row) {
    if (!row.invalid.empty()) return {row.invalid};
    if (has_wrong_time(row)) return {"a time is not positive and finite"};
    const auto old_values = values_of(row.old_starts);
    if (old_values.empty()) return {"no old time"};
    if (row.new_processes.empty()) return {"no new time"};
    Estimated result;
    result.change = median(logarithms(row.new_processes)) - median(old_values);
    result.processes = error_of_processes(row);
    result.starts = error_of_starts(row, old_values);
    if (!(result.processes.freedom > 0) && !(result.starts.freedom > 0))
        result.because = "one process on each side does not show how processes vary";
    return result;
}

RowRepetition answer_for(const Estimated& row, double level, const RepetitionRules& rules) {
    RowRepetition answer;
    answer.margin = rules.margin;
    answer.because = row.because;
    if (!row.is_known()) return answer;
    answer.change = as_part(row.change);
    const double half = std::max(row.processes.half_width(level), row.starts.half_width(level));
    answer.interval = Range{std::min(as_part(-half), -rules.margin), std::max(as_part(half), rules.margin)};
    answer.interval_level = 1 - level;
    const bool is_inside = answer.interval->low <= *answer.change && *answer.change <= answer.interval->high;
    answer.verdict = is_inside ? Repeated::inside : Repeated::outside;
    answer.knows_starts = row.starts.freedom > 0;
    if (!answer.knows_starts)
        answer.because = "the variance between sessions is unknown; only that of processes is considered";
    return answer;
}

}  // namespace

std::vector<RowRepetition> judge_repetition(std::span<const RepeatedRow> rows, const RepetitionRules& rules) {
    std::vector<Estimated> estimates;
    std::vector<double> probabilities;
    for (const auto& row : rows) {
        estimates.push_back(estimated(row));
        if (estimates.back().is_known()) probabilities.push_back(estimates.back().probability());
    }
    const auto levels = holm_levels(probabilities, rules.level);
    std::vector<RowRepetition> answers;
    std::size_t next = 0;
    for (const auto& row : estimates)
        answers.push_back(answer_for(row, row.is_known() ? levels[next++] : rules.level, rules));
    return answers;
}

}  // namespace tocuda
