// tocuda, Apache-2.0.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "comparison_rules/row_comparison.hpp"
#include "statistics/distributions.hpp"
#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

// How often independent starts are mistaken for drifting ones, which costs all changes of a comparison, and those of
// one row. Drift that all rows have in common is the hardest to see; what is likely is more easily wrong by it.
constexpr double drift_level = 0.02, likely_drift_level = 0.05, row_drift_level = 0.01;
constexpr int drift_orders = 2000;
constexpr std::size_t fewest_starts = 3;  // of two values, the difference and the spread are one

double squares_of(const std::vector<double>& values) { return pooled({values}).squares; }

// The starts that rows have in common, and how much any two of them differ in all rows together.
class CommonStarts {
public:
    explicit CommonStarts(std::size_t starts) : count(starts), squares(starts * starts), order(starts) {
        for (std::size_t i = 0; i < count; ++i) order[i] = i;
    }
    void add(const std::vector<double>& values, double all) {
        // Of whole numbers, a sum does not depend on the order of the rows.
        constexpr double unit = 1LL << 32;
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                squares[i * count + j] += std::llround(unit * std::pow(values[i] - values[j], 2) / all);
    }
    void shuffle(RandomNumbers& random) {
        for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    }
    std::int64_t successive() const {
        std::int64_t sum = 0;
        for (std::size_t i = 1; i < count; ++i) sum += squares[order[i - 1] * count + order[i]];
        return sum;
    }

private:
    std::size_t count;
    std::vector<std::int64_t> squares;
    std::vector<std::size_t> order;
};

std::vector<CommonStarts> common_starts(std::span<const RowEstimate> estimates) {
    std::map<std::pair<int, std::vector<std::uint32_t>>, CommonStarts> common;
    for (const auto& one : estimates) {
        double all = 0;  // a row of loud starts counts no more than a calm one
        for (const auto& series : one.series)
            if (series.values.size() >= fewest_starts) all += squares_of(series.values);
        if (all == 0) continue;
        for (const auto& [side, places, values] : one.series)
            if (values.size() >= fewest_starts)
                common.try_emplace({side, places}, values.size()).first->second.add(values, all);
    }
    std::vector<CommonStarts> starts;
    for (auto& [where, of_rows] : common) starts.push_back(std::move(of_rows));
    return starts;
}

bool rests_on_starts(const RowEstimate& estimate, const RowChange& answer) {
    if (estimate.in_turns) return false;
    if (is_change(answer.verdict)) return estimate.hosts.empty();
    // What is assumed of starts includes their drift, where a side has but one.
    const bool is_assumed = answer.start_noise && answer.start_noise->freedom == 0;
    if (is_assumed && estimate.loads_before <= 1 && estimate.loads_after <= 1) return false;
    if (is_likely(answer.verdict)) return true;
    return answer.verdict == ChangeVerdict::undecided && estimate.hosts.empty() &&
           (answer.detectable || answer.not_excluded);
}

void withhold(RowChange& answer) {
    answer.verdict = ChangeVerdict::undecided;
    answer.because =
        "starts next to each other in time are alike, so that the sides may differ by drift alone: let "
        "old and new starts alternate";
    answer.starts_missing = 0;
    answer.worth_a_look = false;
    answer.interval.reset();
    answer.interval_level.reset();
    answer.detectable.reset();
    answer.start_noise.reset();
    answer.chance_above.reset();
    answer.not_excluded.reset();
}

}  // namespace

Succession succession_of(std::span<const StartSeries> series) {
    double successive = 0, squares = 0, freedom = 0, starts = 0;
    for (const auto& [side, places, values] : series) {
        if (values.size() < fewest_starts) continue;
        for (std::size_t i = 1; i < values.size(); ++i) successive += std::pow(values[i] - values[i - 1], 2) / 2;
        squares += squares_of(values);
        freedom += static_cast<double>(values.size() - 1);
        starts += static_cast<double>(values.size() - 2);
    }
    if (squares == 0) return {};
    return {successive / squares, std::sqrt(starts / (freedom * (freedom + 2)))};
}

double chance_of_succession(std::span<const RowEstimate> estimates) {
    auto common = common_starts(estimates);
    const auto all = [&] {
        std::int64_t sum = 0;
        for (const auto& one : common) sum += one.successive();
        return sum;
    };
    const auto seen = all();
    RandomNumbers random(1);
    int as_small = 1;  // the order that it was
    for (int tried = 1; tried < drift_orders; ++tried) {
        for (auto& one : common) one.shuffle(random);
        as_small += all() <= seen;
        if (as_small > likely_drift_level * drift_orders) return 1;
    }
    return static_cast<double>(as_small) / drift_orders;
}

void withhold_from_drift(std::span<const RowEstimate> estimates, std::vector<RowChange>& answers) {
    const double few = normal_quantile(row_drift_level);
    const double chance = chance_of_succession(estimates);
    for (std::size_t place = 0; place < estimates.size(); ++place) {
        auto& answer = answers[place];
        if (!rests_on_starts(estimates[place], answer)) continue;
        const auto [ratio, deviation] = succession_of(estimates[place].series);
        const bool is_told = is_change(answer.verdict) || is_likely(answer.verdict);
        const double most = is_likely(answer.verdict) ? likely_drift_level : drift_level;
        if (chance <= most || (is_told && deviation > 0 && ratio < 1 + few * deviation)) withhold(answer);
    }
}

}  // namespace tocuda
