// tocuda, Apache-2.0.
#include "comparison_rules/hosts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "comparison_rules/log_scale.hpp"
#include "statistics/distributions.hpp"
#include "statistics/multiple_testing.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

// One host of a row against all others, or one GPU against those of its host: by how much it differs, and the
// probability of that by chance.
struct Apart {
    std::size_t row = 0;
    std::size_t which = 0;
    double difference = 0;
    double probability = 1;
};

// Up to a quarter of the others may have moved as this one did: without them it still stands alone.
std::size_t left_out_of(std::size_t count) { return count < 2 ? 0 : (count - 2) / 4; }

// The values without those that are farthest from their median. What is left looks more alike than all of it is, so
// that its squares are divided by the variance that a normal distribution has without its ends.
struct Rest {
    double mean = 0;
    double count = 0;
    StartSpread spread{};
};
Rest rest_of(std::vector<double> values, std::size_t left_out) {
    std::ranges::sort(values);
    const double median = (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
    const auto all = static_cast<double>(values.size());
    for (std::size_t i = 0; i < left_out; ++i)
        values.erase(values.back() - median > median - values.front() ? values.end() - 1 : values.begin());
    Rest rest{.count = static_cast<double>(values.size())};
    for (const double value : values) rest.mean += value / rest.count;
    rest.spread = pooled({values});
    if (left_out == 0) return rest;
    const double part = rest.count / all, edge = normal_quantile((1 + part) / 2);
    const double density = std::exp(-edge * edge / 2) / std::sqrt(2 * std::numbers::pi);
    rest.spread.squares /= 1 - 2 * edge * density / part;
    return rest;
}

// `more` is what else is known of how they differ.
Apart apart_from(const Rest& others, double value, double most_freedom, const StartSpread& more) {
    const double difference = value - others.mean;
    auto spread = others.spread;
    spread.squares += more.squares;
    spread.freedom += more.freedom;
    const double error = spread.deviation() * std::sqrt(1 + 1 / others.count);
    const double freedom = std::min(spread.freedom / 2.0, most_freedom);
    if (error > 0) return {0, 0, difference, 2 * student_cumulative(-std::abs(difference) / error, freedom)};
    return {0, 0, difference, difference == 0 ? 1.0 : 0.0};
}

// From all others, or from those that are left without the farthest, whichever is surer: two tries.
Apart apart(std::span<const double> changes, std::size_t which, double most_freedom, const StartSpread& more = {},
            const StartSpread& more_of_rest = {}) {
    std::vector<double> others;
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (i != which) others.push_back(changes[i]);
    auto surer = apart_from(rest_of(others, 0), changes[which], most_freedom, more);
    if (const auto left_out = left_out_of(changes.size()); left_out > 0) {
        const auto rest = apart_from(rest_of(others, left_out), changes[which], most_freedom, more_of_rest);
        if (rest.probability < surer.probability) surer = rest;
        surer.probability = std::min(1.0, 2 * surer.probability);
    }
    surer.which = which;
    return surer;
}

// A single boot far from the others is no change of its host, so tails count as heavy as three degrees of freedom.
constexpr double most_host_freedom = 3;

// By this row alone, as likely as the level says for any of its hosts.
bool is_apart(std::span<const double> changes, std::size_t which, const ComparisonRules& rules) {
    return apart(changes, which, most_host_freedom).probability * static_cast<double>(changes.size()) < rules.level;
}

template <class Change>
std::vector<double> changes_of(std::span<const Change> changes) {
    std::vector<double> values;
    for (const auto& one : changes) values.push_back(one.change);
    return values;
}

// Calls `found` with each that is too far apart to be chance, in all rows together.
template <class Found>
void find_apart(const std::vector<Apart>& all, const ComparisonRules& rules, const std::vector<RowChange>& answers,
                Found found) {
    std::vector<double> probabilities;
    for (const auto& one : all) probabilities.push_back(one.probability);
    const auto levels = holm_levels(probabilities, rules.level);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].probability <= levels[i] && std::abs(as_part(all[i].difference)) > answers[all[i].row].margin)
            found(all[i]);
}

// The GPUs of a host that have a change: from the first to one past the last.
using GpusOfHost = std::pair<std::size_t, std::size_t>;

std::vector<GpusOfHost> by_host(std::span<const GpuChange> gpus) {
    std::vector<GpusOfHost> hosts;
    for (std::size_t i = 0; i < gpus.size(); ++i)
        if (i == 0 || gpus[i].host != gpus[i - 1].host) hosts.emplace_back(i, i + 1);
        else hosts.back().second = i + 1;
    return hosts;
}

// How GPUs of one host differ on all hosts of a row but this one: all of them, or without the farthest.
StartSpread of_other_hosts(std::span<const double> changes, const std::vector<GpusOfHost>& hosts,
                           const GpusOfHost& this_one, bool without_farthest) {
    StartSpread all;
    for (const auto& [first, end] : hosts) {
        if (first == this_one.first || end - first < 2) continue;
        const auto of = changes.subspan(first, end - first);
        const auto spread = rest_of({of.begin(), of.end()}, without_farthest ? left_out_of(of.size()) : 0).spread;
        all.squares += spread.squares;
        all.freedom += spread.freedom;
    }
    return all;
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

// Sets aside hosts that are far apart from the others, which must not hide what those show. More than a quarter are no
// exceptions.
void set_aside(std::vector<Witness>& witnesses, const ComparisonRules& rules) {
    if (static_cast<int>(witnesses.size()) < rules.hosts_min) return;
    std::vector<double> changes;
    for (const auto& one : witnesses) changes.push_back(one.is.change);
    for (std::size_t which = 0; which < witnesses.size(); ++which)
        witnesses[which].is.set_aside = is_apart(changes, which, rules);
    const auto are = [](const Witness& one) { return one.is.set_aside; };
    if (static_cast<std::size_t>(std::ranges::count_if(witnesses, are)) > witnesses.size() / 4)
        for (auto& one : witnesses) one.is.set_aside = false;
}

// Welch's: of a difference of two means.
int freedom_of(double error, int freedom, double other_error, int other_freedom) {
    const double sum = error * error + other_error * other_error;
    const double parts = std::pow(error, 4) / freedom + std::pow(other_error, 4) / other_freedom;
    return parts > 0 ? static_cast<int>(sum * sum / parts) : freedom + other_freedom;
}

// Hosts that are no exceptions: the mean of their changes, and how much they differ.
struct Agreement {
    double change = 0;
    double spread = 0;
    double error = 0;
    int freedom = 0;
    int count = 0;
};
Agreement agreement_of(std::span<const HostChange> hosts) {
    std::vector<double> changes;
    for (const auto& one : hosts)
        if (!one.set_aside) changes.push_back(one.change);
    const auto count = static_cast<double>(changes.size());
    const auto spread = pooled({changes});
    Agreement all{.spread = spread.deviation(), .freedom = spread.freedom, .count = static_cast<int>(changes.size())};
    if (changes.empty()) return all;
    for (const double one : changes) all.change += one / count;
    all.error = all.spread / std::sqrt(count);
    return all;
}

// What the hosts agree on, less what changed on those that kept their driver, if these are enough.
void average(RowEstimate& all, const ComparisonRules& rules) {
    const auto own = agreement_of(all.hosts), kept = agreement_of(all.controls);
    all.change = own.change;
    all.spread = own.spread;
    all.freedom = own.freedom;
    double variance = 0;
    for (std::size_t i = 0; i < all.hosts.size(); ++i)
        if (!all.hosts[i].set_aside) variance += all.host_variances[i];
    all.process_noise.error = own.count > 0 ? std::sqrt(variance) / own.count : 0;
    all.controls_change = kept.change;
    all.less_controls = kept.count >= rules.hosts_min;
    all.controls_error = all.less_controls ? kept.error : 0;
    all.controls_freedom = kept.freedom;
    if (!all.less_controls) return;
    if (own.freedom > 0) all.freedom = freedom_of(own.error, own.freedom, kept.error, kept.freedom);
    all.change -= kept.change;
}

// Known only if each host has one.
void add_drift(const ComparedRow& row, RowEstimate& all) {
    std::vector<double> drifts;
    for (const auto& host : row.hosts)
        if (host.drift) drifts.push_back(*host.drift);
    if (drifts.empty() || drifts.size() < row.hosts.size()) return;
    std::ranges::sort(drifts);  // in an order of its own
    const auto count = static_cast<double>(drifts.size());
    double mean = 0;
    for (const double one : drifts) mean += one / count;
    all.drift = mean;
    all.drift_error = pooled({drifts}).deviation() / std::sqrt(count);
}

void add_controls(const ComparedRow& row, const ComparisonRules& rules, RowEstimate& all) {
    if (row.controls.empty()) return;
    ComparedRow kept;
    kept.hosts = row.controls;
    all.controls = estimate_of_hosts(kept, rules).hosts;
}

// A host without a name cannot be followed from row to row.
struct NamedHost {
    bool kept_driver = false;
    std::string name{};
    std::size_t row = 0;  // only of one without a name
    std::size_t which = 0;

    auto operator<=>(const NamedHost&) const = default;
};
using RowsOfHosts = std::map<NamedHost, std::vector<Apart>>;

RowsOfHosts rows_of_hosts(std::span<const RowEstimate> estimates, const ComparisonRules& rules) {
    RowsOfHosts all;
    for (std::size_t row = 0; row < estimates.size(); ++row)
        for (const bool kept : {false, true}) {
            const auto& hosts = kept ? estimates[row].controls : estimates[row].hosts;
            if (estimates[row].is_part || static_cast<int>(hosts.size()) < rules.hosts_min) continue;
            const auto changes = changes_of(std::span<const HostChange>(hosts));
            for (std::size_t which = 0; which < hosts.size(); ++which) {
                const auto& name = hosts[which].host;
                auto one = apart(changes, which, most_host_freedom);
                one.row = row;
                all[name.empty() ? NamedHost{kept, name, row, which} : NamedHost{kept, name}].push_back(one);
            }
        }
    return all;
}

// A host is slower or faster than the others, never both: 1 if it is the other one in this row, or hardly differs.
double by_row(const Apart& one, double sign, const std::vector<RowChange>& answers) {
    const bool counts = one.difference * sign > 0 && std::abs(as_part(one.difference)) > answers[one.row].margin;
    return counts ? one.probability : 1;
}

// The probability that a host is that far apart in two of its rows, or less far in half of them, however much its rows
// depend on each other (Rueger): what is off in a single row is noise more often than a host.
double by_rows(const std::vector<Apart>& rows, double sign, const std::vector<RowChange>& answers) {
    std::vector<double> probabilities;
    for (const auto& one : rows) probabilities.push_back(by_row(one, sign, answers));
    std::ranges::sort(probabilities);
    const auto count = probabilities.size();
    const auto in = [&](std::size_t some) {
        return probabilities[some - 1] * static_cast<double>(count) / static_cast<double>(some);
    };
    if (count <= 2) return in(1);
    // Two tries: half of the level is for half of the rows, and no more than a quarter for two, because where a single
    // boot is bad, two rows in which the others happen to agree are quickly found.
    return std::min({1.0, 4 * in(2), 2 * in((count + 1) / 2)});
}

// How far a host is from the others in a row, in their spread, and whether by more than the margin.
struct Distance {
    std::size_t row = 0;
    std::size_t which = 0;
    double deviation = 0;
    bool counts = false;
};

using ListOfHosts = std::vector<HostChange> RowEstimate::*;

std::map<std::string, std::vector<Distance>> distances_of(ListOfHosts list, std::span<const RowEstimate> estimates,
                                                          const ComparisonRules& rules) {
    std::map<std::string, std::vector<Distance>> distances;
    for (std::size_t row = 0; row < estimates.size(); ++row) {
        const auto& hosts = estimates[row].*list;
        if (estimates[row].is_part || static_cast<int>(hosts.size()) < rules.hosts_min) continue;
        const auto changes = changes_of(std::span<const HostChange>(hosts));
        const auto rest = rest_of(changes, left_out_of(changes.size()));
        const double spread = rest.spread.deviation();
        for (std::size_t which = 0; which < hosts.size(); ++which) {
            const double from = hosts[which].change - rest.mean;
            if (spread > 0 && !hosts[which].host.empty())
                distances[hosts[which].host].push_back(
                    {row, which, from / spread, std::abs(as_part(from)) > rules.margin});
        }
    }
    return distances;
}

// By row, which hosts stand out over all rows: a quarter of them at most.
std::map<std::size_t, std::vector<std::size_t>> outstanding(ListOfHosts list, std::span<const RowEstimate> estimates,
                                                            const ComparisonRules& rules) {
    const auto hosts = distances_of(list, estimates, rules);
    std::vector<double> medians;
    for (const auto& [name, rows] : hosts) {
        std::vector<double> deviations;
        for (const auto& one : rows) deviations.push_back(one.deviation);
        medians.push_back(median(deviations));
    }
    if (static_cast<int>(medians.size()) < rules.hosts_min) return {};
    std::map<std::size_t, std::vector<std::size_t>> found;
    std::size_t which = 0, count = 0;
    for (const auto& [name, rows] : hosts) {
        if (!is_apart(medians, which++, rules)) continue;
        ++count;
        for (const auto& one : rows)
            if (one.counts) found[one.row].push_back(one.which);
    }
    if (count > hosts.size() / 4) return {};
    return found;
}

// These first, and others that were set aside by this row alone only if that is still no more than a quarter.
void set_aside(const std::vector<std::size_t>& outstanding, std::vector<HostChange>& hosts) {
    for (const auto which : outstanding) hosts[which].set_aside = true;
    if (hosts.size() - static_cast<std::size_t>(count_witnesses(hosts)) <= hosts.size() / 4) return;
    for (auto& host : hosts) host.set_aside = false;
    for (const auto which : outstanding) hosts[which].set_aside = true;
}

}  // namespace

void find_unlike(std::span<const RowEstimate> estimates, const ComparisonRules& rules,
                 std::vector<RowChange>& answers) {
    const auto hosts = rows_of_hosts(estimates, rules);
    std::vector<double> probabilities;
    for (const auto& [host, rows] : hosts)
        probabilities.push_back(std::min(by_rows(rows, 1, answers), by_rows(rows, -1, answers)));
    const auto levels = holm_levels(probabilities, rules.level);
    std::size_t place = 0;
    for (const auto& [host, rows] : hosts) {
        const auto probability = probabilities[place];
        if (probability > levels[place++]) continue;
        const double sign = by_rows(rows, 1, answers) <= probability ? 1 : -1;
        for (const auto& one : rows) {
            const auto& estimate = estimates[one.row];
            const auto& all = host.kept_driver ? estimate.controls : estimate.hosts;
            if (by_row(one, sign, answers) * static_cast<double>(all.size()) >= rules.level) continue;
            auto found = all[one.which];
            found.change = as_part(found.change);
            found.kept_driver = host.kept_driver;
            answers[one.row].unlike.push_back(std::move(found));
        }
    }
}

void set_outstanding_aside(std::vector<RowEstimate>& estimates, const ComparisonRules& rules) {
    for (const ListOfHosts list : {&RowEstimate::hosts, &RowEstimate::controls})
        for (const auto& [row, those] : outstanding(list, estimates, rules)) {
            set_aside(those, estimates[row].*list);
            average(estimates[row], rules);
        }
}

void find_groups(std::vector<RowChange>& answers) {
    for (auto& answer : answers) {
        if (static_cast<int>(answer.hosts.size()) < ComparisonRules{}.hosts_min) continue;
        const auto changes = changes_of(std::span<const HostChange>(answer.hosts));
        const auto least = changes.size() / 4 + 1;
        // Of 60,000 made-up rows of hosts that are alike, at most 5 are that far apart: with 8 hosts; with 12 none.
        const double far = 96.0 / static_cast<double>(changes.size());
        double widest = answer.margin;
        for (std::size_t first = least; first + least <= changes.size(); ++first) {
            const auto groups = pooled({{changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(first)},
                                        {changes.begin() + static_cast<std::ptrdiff_t>(first), changes.end()}});
            const double gap = changes[first - 1] - changes[first];
            if (gap <= widest || gap < far * groups.deviation()) continue;
            widest = gap;
            answer.apart = first;
        }
    }
}

void find_unlike_gpus(std::span<const RowEstimate> estimates, const ComparisonRules& rules,
                      std::vector<RowChange>& answers) {
    constexpr std::size_t least = 4;
    constexpr double most_freedom = 10;  // GPUs of a host share its boot, so that a single one is rarely far off
    std::vector<Apart> all;
    for (std::size_t row = 0; row < estimates.size(); ++row) {
        const auto changes = changes_of(std::span<const GpuChange>(estimates[row].gpu_changes));
        const auto hosts = by_host(estimates[row].gpu_changes);
        for (const auto& host : hosts) {
            const auto& [first, end] = host;
            if (end - first < least) continue;
            const auto more = of_other_hosts(changes, hosts, host, false);
            const auto more_of_rest = of_other_hosts(changes, hosts, host, true);
            const auto here = std::span(changes).subspan(first, end - first);
            for (std::size_t gpu = first; gpu < end; ++gpu) {
                all.push_back(apart(here, gpu - first, most_freedom, more, more_of_rest));
                all.back().row = row;
                all.back().which = gpu;
            }
        }
    }
    find_apart(all, rules, answers, [&](const Apart& one) {
        auto gpu = estimates[one.row].gpu_changes[one.which];
        gpu.change = as_part(gpu.change);
        answers[one.row].unlike_gpus.push_back(std::move(gpu));
    });
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
    if (!row.is_part) set_aside(witnesses, rules);
    for (const auto& one : witnesses) {
        all.hosts.push_back(one.is);
        all.host_variances.push_back(one.variance);
    }
    all.assumption_unused = row.assumed_noise && !can_assume(all.process_noise) && all.witnesses() < rules.hosts_min;
    all.noise = row.assumed_noise && !all.assumption_unused ? StartNoise{*row.assumed_noise, 0, "assumed"}
                                                            : recorded(all.loads, "recorded of these hosts", rules);
    all.noise_freedom = all.loads.freedom;
    all.in_turns = row.in_turns;
    if (!row.is_part) all.gpu_changes = row.gpu_changes;
    add_drift(row, all);
    add_controls(row, rules, all);
    average(all, rules);
    return all;
}

}  // namespace tocuda
