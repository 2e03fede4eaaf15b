// tocuda, Apache-2.0.
#include "comparison_input/host_groups.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comparison_input/machines.hpp"
#include "comparison_input/run_fields.hpp"
#include "model/words.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

using BlockValues = std::set<std::string>;

bool share_one(const BlockValues& some, const BlockValues& others) {
    return std::ranges::any_of(some, [&](const auto& value) { return others.contains(value); });
}

// The values of each machine, where those that one machine has in common with another are united.
std::map<std::uint32_t, BlockValues> united(std::map<std::uint32_t, BlockValues> values) {
    for (bool again = true; again;) {
        again = false;
        for (auto& [machine, mine] : values)
            for (auto& [other, theirs] : values) {
                if (!share_one(mine, theirs) || mine == theirs) continue;
                mine.insert(theirs.begin(), theirs.end());
                theirs = mine;
                again = true;
            }
    }
    return values;
}

}  // namespace

std::optional<std::string> block_of(const RunLine& run, const std::string& field) {
    if (const auto label = run.labels.find(field); label != run.labels.end()) return label->second;
    const auto fields = fields_of(run);
    const auto found = fields.find("machine." + field);
    return found == fields.end() ? std::nullopt : std::optional(found->second);
}

std::string why_no_blocks(std::span<const GatheredSection> before, std::span<const GatheredSection> after,
                          const std::string& field) {
    const auto has = [&](const GatheredSection& one) { return block_of(one.run, field).has_value(); };
    if (std::ranges::any_of(before, has) || std::ranges::any_of(after, has)) return "";
    return "--block " + field + ": no run line has such a label (bench --label) or field of the machine";
}

Blocks::Blocks(std::span<const CellSource> sides, const Machines& machines, const std::string& field) {
    if (field.empty()) return;
    std::map<std::uint32_t, BlockValues> values;
    for (const auto& source : sides) {
        if (source.side == Side::history) continue;
        for (std::uint32_t section = 0; section < source.sections.size(); ++section) {
            auto& mine = values[machines.of(source.side, section)];
            if (auto value = block_of(source.sections[section].run, field)) mine.insert(*std::move(value));
        }
    }
    for (auto& [machine, mine] : values)
        if (mine.empty()) mine.insert("no " + field);
    for (const auto& [machine, all] : united(std::move(values)))
        for (const auto& value : all) blocks[machine] += (blocks[machine].empty() ? "" : ", ") + value;
}

const std::string& Blocks::of(std::uint32_t machine) const {
    static const std::string none;
    const auto found = blocks.find(machine);
    return found == blocks.end() ? none : found->second;
}

namespace {

struct MeasuredSide {
    std::set<std::string> drivers{};
    std::set<std::string> times{};
    std::set<Fields> others{};                      // what else is recorded of it
    std::map<std::uint32_t, std::string> starts{};  // when each began
};

Fields all_fields(const RunLine& run) {
    auto fields = fields_of(run);
    for (const auto& gpu : run.gpus)
        for (const auto& [field, value] : fields_of(gpu)) fields.emplace(gpu.uuid.value_or("") + " " + field, value);
    return fields;
}

struct Measured {
    MeasuredSide before{};
    MeasuredSide after{};

    bool on_both() const { return !before.times.empty() && !after.times.empty(); }
    bool kept() const { return before.drivers == after.drivers; }
    bool is_unchanged() const { return before.others == after.others; }
    bool was_rolled_back() const {
        return *before.times.begin() < *after.times.begin() && *before.times.rbegin() > *after.times.rbegin();
    }
};

bool alternate(const MeasuredSide& before, const MeasuredSide& after) {
    std::vector<std::pair<std::string, int>> starts;
    for (const auto& [start, time] : before.starts) starts.emplace_back(time, 0);
    for (const auto& [start, time] : after.starts) starts.emplace_back(time, 1);
    std::ranges::sort(starts);
    constexpr int most_alike = 2, fewest_turns = 4;
    int turns = 0, alike = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const bool is_turn = i == 0 || starts[i].second != starts[i - 1].second;
        turns += is_turn;
        alike = is_turn ? 1 : alike + 1;
        if (alike > most_alike) return false;
    }
    return turns >= fewest_turns;
}

}  // namespace

Controls::Controls(std::span<const CellSource> sides, const Machines& machines) {
    std::map<std::uint32_t, Measured> measured;
    for (const auto& source : sides) {
        if (source.side == Side::history) continue;
        for (std::uint32_t section = 0; section < source.sections.size(); ++section) {
            const auto& run = source.sections[section].run;
            auto& machine = measured[machines.of(source.side, section)];
            auto& side = source.side == Side::before ? machine.before : machine.after;
            side.drivers.insert(driver_text(run.driver));
            side.times.insert(run.time);
            side.others.insert(all_fields(run));
            auto& began = side.starts.try_emplace(source.starts->of_section[section], run.time).first->second;
            began = std::min(began, run.time);
        }
    }
    std::erase_if(measured, [](const auto& one) { return !one.second.on_both(); });
    for (const auto& [machine, of] : measured) {
        (of.kept() ? kept : compared).insert(machine);
        if (alternate(of.before, of.after)) alternating.insert(machine);
    }
    if (compared.empty()) {  // no driver changed
        std::swap(kept, compared);
        changed = false;
        return;
    }
    for (const auto& [machine, of] : measured)
        if (of.kept() && !of.is_unchanged()) left_out.insert(machine), kept.erase(machine);
    back = std::ranges::all_of(compared, [&](auto machine) { return measured.at(machine).was_rolled_back(); });
    for (const auto& source : sides)
        for (std::uint32_t section = 0; source.side == Side::before && section < source.sections.size(); ++section) {
            const auto found = measured.find(machines.of(source.side, section));
            if (found != measured.end() && source.sections[section].run.time > *found->second.after.times.rbegin())
                late.insert(section);
        }
}

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
