// tocuda, Apache-2.0.
#include "comparison_input/host_changes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "comparison_input/machines.hpp"
#include "comparison_input/run_fields.hpp"
#include "model/words.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

using HostNames = std::set<std::string>;

struct MeasuredHosts {
    HostNames hosts{};
    std::map<std::string, HostNames> of_gpus{};  // by UUID; simulated GPUs share theirs
};

MeasuredHosts measured_hosts(const RowNames& names, std::span<const GatheredSection> sections) {
    MeasuredHosts side;
    for (const auto& section : sections) {
        const auto host = host_of(section.run);
        if (host.empty() || section.processes.empty()) continue;
        side.hosts.insert(host);
        if (section.run.device == Device::simulated) continue;
        std::set<std::uint32_t> gpus;
        for (const auto& time : section.processes) gpus.insert(time.gpu);
        for (const auto gpu : gpus)
            if (gpu != no_gpu) side.of_gpus[names.gpu(gpu).uuid].insert(host);
    }
    return side;
}

// GPUs without a counterpart on hosts that the other side has, too: "node03 GPU-1f0c7a42-...".
std::vector<std::string> gone(const MeasuredHosts& side, const HostNames& other,
                              const std::map<GpuIdentity, int>& paired) {
    std::vector<std::string> gpus;
    std::set<std::string> known;
    for (const auto& [gpu, number] : paired) known.insert(gpu.uuid);
    for (const auto& [uuid, hosts] : side.of_gpus)
        for (const auto& host : hosts)
            if (!known.contains(uuid) && other.contains(host)) gpus.push_back(host + " " + uuid);
    return gpus;
}

std::string hosts_in_words(const HostNames& hosts) { return joined(hosts); }

// The changes of a host in the rows where it stands apart, and whether for sure.
struct ApartRows {
    std::vector<double> sure{};
    std::vector<double> aside{};
};

}  // namespace

void add_apart_hosts(ChangeReport& report) {
    std::map<std::pair<std::string, bool>, ApartRows> hosts;  // by name and whether it kept the driver
    for (const auto& one : report.rows) {
        for (const auto& host : one.change.unlike) hosts[{host.host, host.kept_driver}].sure.push_back(host.change);
        for (const auto* list : {&one.change.hosts, &one.change.controls})
            for (const auto& host : *list)
                if (host.set_aside) hosts[{host.host, host.kept_driver}].aside.push_back(host.change);
    }
    for (const auto& [host, rows] : hosts) {
        const bool is_sure = !rows.sure.empty();
        const auto& changes = is_sure ? rows.sure : rows.aside;
        report.apart.push_back({host.first, median(changes), static_cast<int>(changes.size()), is_sure, host.second});
    }
    std::ranges::stable_sort(report.apart, [](const ApartHost& left, const ApartHost& right) {
        return std::tuple(left.is_sure, left.rows) > std::tuple(right.is_sure, right.rows);
    });
}

std::vector<std::string> drop_old_driver(std::span<const GatheredSection> before, std::vector<GatheredSection>& after) {
    std::map<std::string, std::set<std::string>> had, has;
    for (const auto& section : before) had[host_of(section.run)].insert(driver_text(section.run.driver));
    for (const auto& section : after) has[host_of(section.run)].insert(driver_text(section.run.driver));
    std::set<std::string> both;
    for (const auto& [host, drivers] : has) {
        const auto is_old = [&old = had[host]](const std::string& driver) { return old.contains(driver); };
        if (!host.empty() && std::ranges::any_of(drivers, is_old) && !std::ranges::all_of(drivers, is_old))
            both.insert(host);
    }
    std::erase_if(after, [&](const GatheredSection& section) {
        const auto host = host_of(section.run);
        return both.contains(host) && had[host].contains(driver_text(section.run.driver));
    });
    return {both.begin(), both.end()};
}

void add_host_changes(const RowNames& names, std::span<const GatheredSection> before,
                      std::span<const GatheredSection> after, const GpuPairs& pairs, ChangeReport& report) {
    const auto old_side = measured_hosts(names, before);
    const auto new_side = measured_hosts(names, after);
    report.gpus_before = gone(old_side, new_side.hosts, pairs.before);
    report.gpus_after = gone(new_side, old_side.hosts, pairs.after);
    // Of one machine against another, the attribution names the host.
    if (old_side.hosts.empty() || new_side.hosts.empty() || (old_side.hosts.size() < 2 && new_side.hosts.size() < 2))
        return;
    std::ranges::set_difference(old_side.hosts, new_side.hosts, std::back_inserter(report.hosts_before));
    std::ranges::set_difference(new_side.hosts, old_side.hosts, std::back_inserter(report.hosts_after));
    for (const auto& [gpu, hosts] : old_side.of_gpus) {
        const auto now = new_side.of_gpus.find(gpu);
        if (now == new_side.of_gpus.end() || now->second == hosts) continue;
        report.moved.push_back({gpu, hosts_in_words(hosts), hosts_in_words(now->second)});
    }
}

}  // namespace tocuda
