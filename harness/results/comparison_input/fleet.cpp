// tocuda, Apache-2.0.
#include "comparison_input/fleet.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "comparison_input/row_cells.hpp"
#include "comparison_rules/cohort.hpp"

namespace tocuda {
namespace {

// One GPU in one cohort; with another driver it is another member. Simulated GPUs of several machines share their
// UUIDs.
struct Member {
    GpuIdentity gpu{};
    std::uint32_t cohort = 0;
    std::string simulated_on{};

    auto operator<=>(const Member&) const = default;
};

// One process's measurement of one row; small, because a fleet has millions of them.
struct FleetTime {
    std::uint32_t row = 0;
    std::uint32_t cohort = 0;
    std::uint32_t peer = no_gpu;
    std::uint32_t member = 0;
    PlacedTime placed{};

    // Rows of one cohort, with or without a peer GPU, are compared with each other.
    auto equals() const { return std::tuple(row, cohort, peer != no_gpu); }
    auto place() const { return std::tuple(row, cohort, peer != no_gpu, member, peer); }
    auto order() const { return std::tuple(place(), placed.start, placed.section, placed.time); }
};

// The speed of one row of one GPU.
struct Speed {
    const FleetTime* place = nullptr;
    double value = 0;
};

std::string node_of(const RunLine& run) { return run.fleet ? run.fleet->node : run.machine.host.value_or(""); }

std::string name_of(const RunLine& run, const GpuIdentity& gpu) {
    const auto* found = find_gpu(run, gpu);
    const auto node = node_of(run);
    return node + (node.empty() ? "" : " ") + (found ? fmt::format("cuda:{}", found->index) : gpu.uuid);
}

// A fleet's sections, prepared for judging.
struct Fleet {
    std::map<Cohort, std::uint32_t> cohorts{};
    std::map<Member, std::uint32_t> numbers{};
    std::vector<Member> members{};
    std::vector<std::string> names{};
    std::vector<FleetTraits> traits{};
    std::vector<FleetTime> times{};

    std::uint32_t member(const RunLine& run, const GpuIdentity& gpu) {
        const auto cohort =
            cohorts.try_emplace(cohort_of(run, gpu), static_cast<std::uint32_t>(cohorts.size())).first->second;
        const auto simulated_on = run.device == Device::simulated ? node_of(run) : "";
        const auto [found, is_new] =
            numbers.try_emplace({gpu, cohort, simulated_on}, static_cast<std::uint32_t>(members.size()));
        if (is_new) {
            members.push_back(found->first);
            names.push_back(name_of(run, gpu));
            traits.emplace_back();
        }
        traits[found->second].add_run(run, gpu);
        return found->second;
    }
};

Fleet fleet_of(const RowNames& names, std::span<const GatheredSection> sections, const SideStarts& starts) {
    Fleet fleet;
    std::size_t processes = 0;
    for (const auto& section : sections) processes += section.processes.size();
    fleet.times.reserve(processes);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        std::map<std::uint32_t, std::uint32_t> known;
        for (const auto& time : sections[i].processes) {
            if (time.gpu == no_gpu) continue;
            const auto [found, is_new] = known.try_emplace(time.gpu, 0U);
            if (is_new) found->second = fleet.member(sections[i].run, names.gpu(time.gpu));
            const auto member = found->second;
            fleet.traits[member].add_time(time, names);
            fleet.times.push_back({time.row,
                                   fleet.members[member].cohort,
                                   time.peer,
                                   member,
                                   {starts.of_section[i], static_cast<std::uint32_t>(i), &time}});
        }
    }
    std::sort(fleet.times.begin(), fleet.times.end(),
              [](const FleetTime& left, const FleetTime& right) { return left.order() < right.order(); });
    for (auto& one : fleet.traits) one.finish();
    return fleet;
}

std::vector<FleetCohort> cohorts_of(const Fleet& fleet) {
    std::vector<FleetCohort> cohorts;
    for (const auto& [cohort, number] : fleet.cohorts) {
        const auto gpus = std::count_if(fleet.members.begin(), fleet.members.end(),
                                        [number = number](const Member& one) { return one.cohort == number; });
        cohorts.push_back({cohort, static_cast<int>(gpus)});
    }
    return cohorts;
}

// In order of the fleet's times, so that comparable rows are adjacent.
std::vector<Speed> speeds_of(const Fleet& fleet, const RowNames& names, const SideStarts& starts, int& invalid) {
    std::vector<Speed> speeds;
    std::vector<PlacedTime> times;
    for (auto first = fleet.times.begin(); first != fleet.times.end();) {
        const auto& place = *first;
        for (times.clear(); first != fleet.times.end() && first->place() == place.place(); ++first)
            times.push_back(first->placed);
        const auto counted = count_starts(times, names, starts);
        if (counted.skipped) continue;
        if (counted.invalid.empty() && counted.seconds) speeds.push_back({&place, 1 / *counted.seconds});
        else ++invalid;
    }
    return speeds;
}

std::vector<std::span<const Speed>> of_equals(std::span<const Speed> speeds) {
    std::vector<std::span<const Speed>> rows;
    while (!speeds.empty()) {
        const auto other = std::find_if(speeds.begin(), speeds.end(), [&](const Speed& one) {
            return one.place->equals() != speeds.front().place->equals();
        });
        rows.push_back(speeds.first(static_cast<std::size_t>(other - speeds.begin())));
        speeds = speeds.subspan(rows.back().size());
    }
    return rows;
}

std::string differs_from_peers(const Fleet& fleet, std::size_t member) {
    std::vector<const FleetTraits*> peers;
    for (std::size_t i = 0; i < fleet.members.size(); ++i)
        if (i != member && fleet.members[i].cohort == fleet.members[member].cohort) peers.push_back(&fleet.traits[i]);
    return differences(fleet.traits[member], peers);
}

FleetRow found_row(const RowNames& names, const Fleet& fleet, const FleetTime& place, const CohortAnswer& answer,
                   const std::string& differs) {
    const auto& row = names.name(place.row);
    const auto& gpu = fleet.members[place.member].gpu;
    return {.node = fleet.names[place.member],
            .gpu = gpu.uuid,
            .peer = names.gpu(place.peer).uuid,
            .model = gpu.model,
            .benchmark = row.benchmark,
            .parameters = row.parameters,
            .id = row.id,
            .below = answer.standing == Standing::below,
            .difference = answer.difference.value_or(0),
            .z = answer.z,
            .peers = answer.peers,
            .because = answer.because,
            .differs = differs};
}

// Judges row by row, so that only one row's answers are kept at a time.
void judge(const RowNames& names, const Fleet& fleet, const std::vector<std::span<const Speed>>& rows,
           FleetReport& report) {
    CohortRules rules;
    int questions = 0;
    for (const auto& row : rows) questions += questions_of(row.size(), rules);
    std::map<std::uint32_t, std::string> differs;  // cached, because a GPU that stands out often does so in many rows
    std::vector<double> values;
    for (const auto& row : rows) {
        values.clear();
        for (const auto& speed : row) values.push_back(speed.value);
        rules.questions_elsewhere = questions - questions_of(row.size(), rules);
        const auto answers = judge_cohort(values, rules);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            ++(answers[i].standing == Standing::too_few_peers ? report.alone : report.rows);
            if (answers[i].standing != Standing::below && answers[i].standing != Standing::above) continue;
            const auto [found, is_new] = differs.try_emplace(row[i].place->member);
            if (is_new) found->second = differs_from_peers(fleet, row[i].place->member);
            report.found.push_back(found_row(names, fleet, *row[i].place, answers[i], found->second));
        }
    }
}

void sort_slowest_first(std::vector<FleetRow>& rows) {
    std::sort(rows.begin(), rows.end(), [](const FleetRow& left, const FleetRow& right) {
        const auto place = [](const FleetRow& row) {
            return std::tie(row.difference, row.node, row.benchmark, row.id, row.peer);
        };
        return place(left) < place(right);
    });
}

}  // namespace

FleetReport judge_fleet(const RowNames& names, std::span<const GatheredSection> sections) {
    const auto starts = starts_of(sections, false);
    const auto fleet = fleet_of(names, sections, starts);
    FleetReport report{.sections = static_cast<int>(sections.size()),
                       .gpus = static_cast<int>(fleet.members.size()),
                       .cohorts = cohorts_of(fleet)};
    const auto speeds = speeds_of(fleet, names, starts, report.invalid);
    judge(names, fleet, of_equals(speeds), report);
    sort_slowest_first(report.found);
    for (const auto& section : sections) report.simulated = report.simulated || section.run.device == Device::simulated;
    return report;
}

}  // namespace tocuda
