// tocuda, Apache-2.0.
#include "comparison_rules/hosts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "comparison_rules/log_scale.hpp"
#include "statistics/distributions.hpp"
#include "statistics/family.hpp"

namespace tocuda {
namespace {

// One host of a row against all others: by how much it differs, and the probability of that by chance.
struct Apart {
    std::size_t row = 0;
    std::size_t host = 0;
    double difference = 0;
    double probability = 1;
};

Apart apart(std::span<const HostChange> hosts, std::size_t row, std::size_t which) {
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
    if (error > 0) return {row, which, difference, 2 * student_cumulative(-std::abs(difference) / error, freedom)};
    return {row, which, difference, difference == 0 ? 1.0 : 0.0};
}

// A host or a block, with the variance that its processes contribute.
struct Witness {
    HostChange is{};
    double variance = 0;
    std::string block{};
};

// Sums in an order of their own do not depend on that of the hosts.
void in_order(std::vector<Witness>& witnesses) {
    std::sort(witnesses.begin(), witnesses.end(), [](const Witness& left, const Witness& right) {
        return std::tie(right.is.change, left.is.host) < std::tie(left.is.change, right.is.host);
    });
}

Witness mean_of(std::span<const Witness> witnesses) {
    Witness mean;
    const auto count = static_cast<double>(witnesses.size());
    for (const auto& one : witnesses) {
        mean.is.change += one.is.change / count;
        mean.variance += one.variance / (count * count);
    }
    return mean;
}

// Hosts of a block have more in common than their driver, so that all of them together are one value.
std::vector<Witness> blocks_of(const std::vector<Witness>& hosts) {
    std::map<std::string, std::vector<Witness>> blocks;
    for (const auto& one : hosts) blocks[one.block].push_back(one);
    std::vector<Witness> witnesses;
    for (const auto& [block, members] : blocks) {
        witnesses.push_back(mean_of(members));
        witnesses.back().is.host = block;
    }
    in_order(witnesses);
    return witnesses;
}

bool are_witnesses(const RowEstimate& estimate, const ComparisonRules& rules) {
    return !estimate.is_part && static_cast<int>(estimate.hosts.size()) >= rules.hosts_min;
}

}  // namespace

void find_unlike(std::span<const RowEstimate> estimates, const ComparisonRules& rules,
                 std::vector<RowChange>& answers) {
    std::vector<Apart> all;
    for (std::size_t row = 0; row < estimates.size(); ++row)
        for (std::size_t host = 0; are_witnesses(estimates[row], rules) && host < estimates[row].hosts.size(); ++host)
            all.push_back(apart(estimates[row].hosts, row, host));
    std::vector<double> probabilities;
    for (const auto& one : all) probabilities.push_back(one.probability);
    const auto levels = holm_levels(probabilities, rules.level);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto& answer = answers[all[i].row];
            all[i].probability <= levels[i] && std::abs(as_part(all[i].difference)) > answer.margin)
            answer.unlike.push_back(answer.hosts[all[i].host]);
}

RowEstimate estimate_of_hosts(const ComparedRow& row, const ComparisonRules& rules) {
    RowEstimate all{.loads_before = std::numeric_limits<int>::max(), .loads_after = std::numeric_limits<int>::max()};
    all.is_part = row.is_part;
    std::vector<Witness> witnesses;
    for (const auto& host : row.hosts) {
        const auto one = estimate(host, rules);
        if (!one.has_change()) continue;
        all.by_block = all.by_block || !host.block.empty();
        witnesses.push_back({{host.host, one.change}, std::pow(one.process_noise.error, 2), host.block});
        all.starts_before += one.starts_before;
        all.starts_after += one.starts_after;
        all.processes_before += one.processes_before;
        all.processes_after += one.processes_after;
        all.loads_before = std::min(all.loads_before, one.loads_before);
        all.loads_after = std::min(all.loads_after, one.loads_after);
        all.loads.squares += one.loads.squares;
        all.loads.freedom += one.loads.freedom;
        all.process_noise.freedom += one.process_noise.freedom;
    }
    in_order(witnesses);
    if (all.by_block) witnesses = blocks_of(witnesses);
    std::vector<double> changes;
    for (const auto& one : witnesses) {
        all.hosts.push_back(one.is);
        changes.push_back(one.is.change);
    }
    const auto mean = mean_of(witnesses);
    all.change = mean.is.change;
    all.process_noise.error = std::sqrt(mean.variance);
    const auto spread = pooled({changes});
    all.spread = spread.deviation();
    all.freedom = spread.freedom;
    all.noise = row.assumed_noise ? StartNoise{*row.assumed_noise, 0, "assumed"}
                                  : recorded(all.loads, "recorded of these hosts", rules);
    return all;
}

}  // namespace tocuda
