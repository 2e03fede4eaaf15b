// tocuda, Apache-2.0.
// Each comparison has its own random numbers and only counts are kept, so the number of threads does not affect the
// result.
#include "comparison_rules/tests/calibration.hpp"

#include <algorithm>
#include <thread>

#include "comparison_rules/paired_comparison.hpp"
#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

bool is_alarm(const RowChange& row) { return is_change(row.verdict); }

constexpr std::size_t changed_of = 10;

void make_slower(std::vector<ComparedRow>& rows, std::size_t turn, double change) {
    for (std::size_t place = turn % changed_of; place < rows.size(); place += changed_of)
        for (auto& start : rows[place].after)
            for (double& seconds : start.process_medians) seconds *= 1 + change;
}

void count_found(FoundChanges& count, const std::vector<RowChange>& answers, std::size_t turn) {
    for (std::size_t place = turn % changed_of; place < answers.size(); place += changed_of) {
        const bool is_found = answers[place].verdict == ChangeVerdict::slower;
        const bool is_promised = answers[place].detectable && *answers[place].detectable <= count.change;
        ++count.rows;
        count.found += is_found ? 1 : 0;
        count.promised += is_promised ? 1 : 0;
        count.promised_found += is_promised && is_found ? 1 : 0;
    }
}

constexpr double most_alarms = 0.01;
constexpr double most_row_alarms = 0.001;
constexpr double least_found = 0.9;

double part(std::int64_t count, std::int64_t of) { return static_cast<double>(count) / static_cast<double>(of); }

// The ends of the 95 % interval of a rate (Clopper and Pearson).
double rate_at_most(std::int64_t count, std::int64_t of) {
    return count < of ? beta_quantile(0.975, static_cast<double>(count) + 1, static_cast<double>(of - count)) : 1;
}

double rate_at_least(std::int64_t count, std::int64_t of) {
    return count > 0 ? beta_quantile(0.025, static_cast<double>(count), static_cast<double>(of - count) + 1) : 0;
}

}  // namespace

double Calibrated::alarms_at_most() const { return rate_at_most(alarmed_comparisons, comparisons); }

bool Calibrated::has_many_alarms() const {
    return rate_at_least(alarmed_comparisons, comparisons) > most_alarms ||
           rate_at_least(alarmed_rows, rows) > most_row_alarms;
}

bool Calibrated::breaks_its_promise() const {
    const auto& two_percent = found[1];
    return rate_at_most(two_percent.promised_found, two_percent.promised) < least_found;
}

bool Calibrated::holds() const {
    const auto& two_percent = found[1];
    return alarms_at_most() <= most_alarms && part(alarmed_rows, rows) <= most_row_alarms &&
           (two_percent.promised == 0 || part(two_percent.promised_found, two_percent.promised) >= least_found);
}

void Calibrated::add(const Calibrated& other) {
    comparisons += other.comparisons;
    alarmed_comparisons += other.alarmed_comparisons;
    rows += other.rows;
    alarmed_rows += other.alarmed_rows;
    same_rows += other.same_rows;
    undecided_rows += other.undecided_rows;
    for (std::size_t size = 0; size < found.size(); ++size) {
        found[size].rows += other.found[size].rows;
        found[size].found += other.found[size].found;
        found[size].promised += other.found[size].promised;
        found[size].promised_found += other.found[size].promised_found;
    }
}

Calibrated calibrate_one(std::vector<ComparedRow> equal, const Rule& rule, std::size_t turn) {
    Calibrated result;
    const auto answers = rule(equal);
    const auto alarms = std::count_if(answers.begin(), answers.end(), is_alarm);
    const auto count = [&](ChangeVerdict verdict) {
        return std::count_if(answers.begin(), answers.end(),
                             [&](const RowChange& row) { return row.verdict == verdict; });
    };
    result.comparisons = 1;
    result.alarmed_comparisons = alarms > 0 ? 1 : 0;
    result.rows = static_cast<std::int64_t>(answers.size());
    result.alarmed_rows = alarms;
    result.same_rows = count(ChangeVerdict::same);
    result.undecided_rows = count(ChangeVerdict::undecided);
    for (auto& size : result.found) {
        auto changed = equal;
        make_slower(changed, turn, size.change);
        count_found(size, rule(changed), turn);
    }
    return result;
}

std::vector<RowChange> compare_as_pairs(std::span<const ComparedRow> rows) {
    std::vector<PairedRow> paired(rows.size());
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const auto& before = rows[place].before.front().process_medians;
        const auto& after = rows[place].after.front().process_medians;
        for (std::size_t round = 0; round < before.size(); ++round) {
            auto& rounds =
                static_cast<int>(round) < PairedRules{}.first_rounds ? paired[place].first : paired[place].fresh;
            rounds.push_back({before[round], after[round]});
        }
    }
    return compare_pairs(paired);
}

Calibrated calibrate(Noise noise, const CalibrationPlan& plan, const Rule& rule) {
    const auto threads = static_cast<std::size_t>(std::max(plan.threads, 1));
    const auto comparisons = static_cast<std::size_t>(std::max(plan.comparisons, 0));
    std::vector<Calibrated> parts(threads);
    const auto work = [&](std::size_t thread) {
        for (std::size_t turn = thread; turn < comparisons; turn += threads) {
            const RandomNumbers random(plan.seed, static_cast<std::uint64_t>(noise) << 32U | turn);
            auto equal = plan.paired_rounds > 0 ? made_up_rounds(noise, plan.shape, plan.paired_rounds, random)
                                                : made_up_comparison(noise, plan.shape, random);
            parts[thread].add(calibrate_one(std::move(equal), rule, turn));
        }
    };
    std::vector<std::thread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
    work(0);
    for (auto& other : others) other.join();
    Calibrated all;
    for (const auto& part : parts) all.add(part);
    return all;
}

}  // namespace tocuda
