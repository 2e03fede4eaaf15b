// tocuda, Apache-2.0.
// A fleet's times, by row and cohort.
#include "gathering/fleet.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "comparison/cohort.hpp"
#include "gathering/fleet_traits.hpp"
#include "gathering/row_history.hpp"

namespace tocuda {
namespace {

// One GPU in one cohort: with another driver it is another one. Simulated GPUs of several machines share their UUIDs.
struct Member {
    GpuIdentity gpu{};
    Cohort cohort{};
    std::string simulated_on{};

    auto operator<=>(const Member&) const = default;
};

struct Place {
    std::uint32_t row = 0;
    std::uint32_t peer = no_gpu;
    std::size_t member = 0;

    auto operator<=>(const Place&) const = default;
};

std::string node_of(const RunLine& run) { return run.fleet ? run.fleet->node : run.machine.host.value_or(""); }

std::string name_of(const RunLine& run, const GpuIdentity& gpu) {
    const auto* found = find_gpu(run, gpu);
    const auto node = node_of(run);
    return node + (node.empty() ? "" : " ") + (found ? "cuda:" + std::to_string(found->index) : gpu.uuid);
}

// What a fleet's sections come to, before it is judged.
struct Fleet {
    std::map<Member, std::size_t> numbers{};
    std::vector<Member> members{};
    std::vector<std::string> names{};
    std::vector<FleetTraits> traits{};
    std::map<Place, std::vector<PlacedTime>> times{};

    std::size_t member(const RunLine& run, const GpuIdentity& gpu) {
        const auto simulated_on = run.device == Device::simulated ? node_of(run) : "";
        const auto [found, is_new] = numbers.try_emplace({gpu, cohort_of(run, gpu), simulated_on}, members.size());
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
    for (std::size_t i = 0; i < sections.size(); ++i) {
        std::map<std::uint32_t, std::size_t> known;
        for (const auto& time : sections[i].processes) {
            if (time.gpu == no_gpu) continue;
            const auto [found, is_new] = known.try_emplace(time.gpu, 0U);
            if (is_new) found->second = fleet.member(sections[i].run, names.gpu(time.gpu));
            fleet.traits[found->second].add_time(time, names);
            fleet.times[{time.row, time.peer, found->second}].push_back({starts.of_section[i], static_cast<std::uint32_t>(i), &time});
        }
    }
    for (auto& [place, times] : fleet.times)
        std::stable_sort(times.begin(), times.end(), [](const PlacedTime& left, const PlacedTime& right) { return left.start < right.start; });
    for (auto& one : fleet.traits) one.finish();
    return fleet;
}

std::vector<FleetCohort> cohorts_of(const Fleet& fleet) {
    std::map<Cohort, int> counts;
    for (const auto& member : fleet.members) ++counts[member.cohort];
    std::vector<FleetCohort> cohorts;
    for (const auto& [cohort, gpus] : counts) cohorts.push_back({cohort.model, cohort.driver, cohort.vbios, cohort.power_limit, gpus});
    return cohorts;
}

// Rows of one word are judged against one another: those of one cohort, with or without a peer.
std::string row_word(const RowName& row, const Place& place, const Cohort& cohort) {
    return row.id + "\n" + row.benchmark + "\n" + std::to_string(row.protocol) + (row.device == Device::simulated ? "s" : "r") +
           (row.clock == Clock::host ? "h" : "d") + (place.peer == no_gpu ? "" : "p") + "\n" + cohort.model + "\n" + cohort.driver + "\n" +
           cohort.vbios + "\n" + cohort.power_limit;
}

std::string differs_from_peers(const Fleet& fleet, std::size_t member) {
    std::vector<const FleetTraits*> peers;
    for (std::size_t i = 0; i < fleet.members.size(); ++i)
        if (i != member && fleet.members[i].cohort == fleet.members[member].cohort) peers.push_back(&fleet.traits[i]);
    return differences(fleet.traits[member], peers);
}

FleetRow found_row(const RowNames& names, const Fleet& fleet, const Place& place, const CohortAnswer& answer) {
    const auto& row = names.name(place.row);
    const auto& gpu = fleet.members[place.member].gpu;
    return {.node = fleet.names[place.member], .gpu = gpu.uuid, .peer = names.gpu(place.peer).uuid, .model = gpu.model, .benchmark = row.benchmark,
            .parameters = row.parameters, .id = row.id, .below = answer.standing == Standing::below, .difference = answer.difference.value_or(0),
            .z = answer.z, .peers = answer.peers, .because = answer.because, .differs = differs_from_peers(fleet, place.member)};
}

void sort_slowest_first(std::vector<FleetRow>& rows) {
    std::sort(rows.begin(), rows.end(), [](const FleetRow& left, const FleetRow& right) {
        return std::tie(left.difference, left.node, left.benchmark, left.id, left.peer) < std::tie(right.difference, right.node, right.benchmark, right.id, right.peer);
    });
}

}  // namespace

FleetReport judge_fleet(const RowNames& names, std::span<const GatheredSection> sections) {
    const auto starts = starts_of(sections, false);
    const auto fleet = fleet_of(names, sections, starts);
    FleetReport report{.sections = static_cast<int>(sections.size()), .gpus = static_cast<int>(fleet.members.size()), .cohorts = cohorts_of(fleet)};
    std::vector<CohortValue> values;
    std::vector<const Place*> places;
    std::map<std::string, std::size_t> words;  // their numbers are short, and stand for as many rows as there are GPUs
    for (const auto& [place, times] : fleet.times) {
        const auto counted = count_starts(times, names, starts.names);
        if (counted.skipped) continue;
        if (!counted.invalid.empty() || !counted.seconds) {
            ++report.invalid;
            continue;
        }
        const auto word = words.try_emplace(row_word(names.name(place.row), place, fleet.members[place.member].cohort), words.size()).first->second;
        values.push_back({{}, std::to_string(word), 1 / *counted.seconds});
        places.push_back(&place);
    }
    const auto answers = judge_cohort(values);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ++(answers[i].standing == Standing::too_few_peers ? report.alone : report.rows);
        if (answers[i].standing == Standing::below || answers[i].standing == Standing::above)
            report.found.push_back(found_row(names, fleet, *places[i], answers[i]));
    }
    sort_slowest_first(report.found);
    for (const auto& section : sections) report.simulated = report.simulated || section.run.device == Device::simulated;
    return report;
}

}  // namespace tocuda
