// tocuda, Apache-2.0.
#include "comparison_rules/hosts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace tocuda {
namespace {

// What each machine has of its own boots counts together, if that is enough.
std::optional<StartNoise> noise_of(const ComparedRow& row, const StartSpread& loads, const ComparisonRules& rules) {
    if (row.assumed_noise) return StartNoise{*row.assumed_noise, 0, "assumed"};
    if (loads.freedom < rules.likely_freedom_min) return std::nullopt;
    return StartNoise{loads.deviation(), loads.freedom, "recorded of these hosts"};
}

}  // namespace

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
