// tocuda, Apache-2.0.
#include "comparison_rules/hosts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "comparison_rules/log_scale.hpp"
#include "statistics/distributions.hpp"
#include "statistics/family.hpp"

namespace tocuda {
namespace {

// What each machine has of its own boots counts together, if that is enough.
std::optional<StartNoise> noise_of(const ComparedRow& row, const StartSpread& loads, const ComparisonRules& rules) {
    if (row.assumed_noise) return StartNoise{*row.assumed_noise, 0, "assumed"};
    if (loads.freedom < rules.likely_freedom_min) return std::nullopt;
    return StartNoise{loads.deviation(), loads.freedom, "recorded of these hosts"};
}

// One host against all others: by how much it differs, and the probability of that by chance.
struct Apart {
    double difference = 0;
    double probability = 1;
};

Apart apart(std::span<const HostChange> hosts, std::size_t which) {
    std::vector<double> others;
    for (std::size_t i = 0; i < hosts.size(); ++i)
        if (i != which) others.push_back(hosts[i].change);
    const auto count = static_cast<double>(others.size());
    double mean = 0;
    for (const double change : others) mean += change / count;
    const double difference = hosts[which].change - mean;
    const auto spread = pooled({others});
    const double error = spread.deviation() * std::sqrt(1 + 1 / count);
    // A single boot far from the others is no change of its host, so tails count as heavy as three degrees of freedom.
    const double freedom = std::min(spread.freedom / 2.0, 3.0);
    if (error > 0) return {difference, 2 * student_cumulative(-std::abs(difference) / error, freedom)};
    return {difference, difference == 0 ? 1.0 : 0.0};
}

bool are_witnesses(const RowEstimate& estimate, const ComparisonRules& rules) {
    return !estimate.is_part && static_cast<int>(estimate.hosts.size()) >= rules.hosts_min;
}

}  // namespace

void find_unlike(std::span<const RowEstimate> estimates, const ComparisonRules& rules,
                 std::vector<RowChange>& answers) {
    std::vector<Apart> all;
    for (const auto& one : estimates)
        for (std::size_t host = 0; are_witnesses(one, rules) && host < one.hosts.size(); ++host)
            all.push_back(apart(one.hosts, host));
    std::vector<double> probabilities;
    for (const auto& one : all) probabilities.push_back(one.probability);
    const auto levels = holm_levels(probabilities, rules.level);
    std::size_t next = 0;
    for (std::size_t place = 0; place < estimates.size(); ++place)
        for (std::size_t host = 0; are_witnesses(estimates[place], rules) && host < estimates[place].hosts.size();
             ++host, ++next)
            if (all[next].probability <= levels[next] &&
                std::abs(as_part(all[next].difference)) > answers[place].margin)
                answers[place].unlike.push_back(answers[place].hosts[host]);
}

RowEstimate estimate_of_hosts(const ComparedRow& row, const ComparisonRules& rules) {
    RowEstimate all{.loads_before = std::numeric_limits<int>::max(), .loads_after = std::numeric_limits<int>::max()};
    all.is_part = row.is_part;
    double squared_errors = 0;
    for (const auto& host : row.hosts) {
        const auto one = estimate(host, rules);
        if (!one.has_change()) continue;
        all.hosts.push_back({host.host, one.change});
        all.starts_before += one.starts_before;
        all.starts_after += one.starts_after;
        all.processes_before += one.processes_before;
        all.processes_after += one.processes_after;
        all.loads_before = std::min(all.loads_before, one.loads_before);
        all.loads_after = std::min(all.loads_after, one.loads_after);
        all.loads.squares += one.loads.squares;
        all.loads.freedom += one.loads.freedom;
        squared_errors += one.process_noise.error * one.process_noise.error;
        all.process_noise.freedom += one.process_noise.freedom;
    }
    // Sums in an order of their own do not depend on that of the hosts.
    std::sort(all.hosts.begin(), all.hosts.end(), [](const HostChange& left, const HostChange& right) {
        return std::tie(right.change, left.host) < std::tie(left.change, right.host);
    });
    const auto count = static_cast<double>(all.hosts.size());
    std::vector<double> changes;
    for (const auto& one : all.hosts) changes.push_back(one.change);
    for (const double change : changes) all.change += change / count;
    all.process_noise.error = std::sqrt(squared_errors) / count;
    const auto spread = pooled({changes});
    all.spread = spread.deviation();
    all.freedom = spread.freedom;
    all.noise = noise_of(row, all.loads, rules);
    return all;
}

}  // namespace tocuda
