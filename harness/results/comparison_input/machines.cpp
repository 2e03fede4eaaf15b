// tocuda, Apache-2.0.
#include "comparison_input/machines.hpp"

#include <algorithm>
#include <set>

namespace tocuda {
namespace {

std::vector<std::string> traits_of(const RunLine& run) {
    std::vector<std::string> traits;
    if (const auto host = host_of(run); !host.empty()) traits.push_back("host " + host);
    if (run.boot) traits.push_back("boot " + *run.boot);
    if (run.device != Device::simulated)  // those share their UUIDs
        for (const auto& gpu : run.gpus)
            if (gpu.uuid) traits.push_back("GPU " + *gpu.uuid);
    if (traits.empty()) traits.emplace_back("nothing known");
    return traits;
}

}  // namespace

std::string host_of(const RunLine& run) {
    return run.machine.host.value_or(run.fleet ? run.fleet->node : std::string());
}

Machines::Machines(std::span<const CellSource> sources) {
    std::map<std::string, std::uint32_t> known;
    std::vector<const RunLine*> runs;
    for (const auto& source : sources) {
        const auto first = static_cast<std::uint32_t>(runs.size());
        for (const auto& section : source.sections) runs.push_back(&section.run);
        places[source.side] = {first, static_cast<std::uint32_t>(runs.size())};
    }
    hosts.resize(runs.size());
    for (std::uint32_t section = 0; section < runs.size(); ++section) parents.push_back(section);
    for (std::uint32_t section = 0; section < runs.size(); ++section)
        for (const auto& trait : traits_of(*runs[section])) join(section, trait, known);
    for (std::uint32_t section = 0; section < runs.size(); ++section) {
        parents[section] = root_of(section);
        if (auto& host = hosts[parents[section]]; host.empty()) host = host_of(*runs[section]);
    }
}

std::uint32_t Machines::root_of(std::uint32_t section) {
    while (parents[section] != section) section = parents[section] = parents[parents[section]];
    return section;
}

// The earlier root stays, so that the result does not depend on the order of traits.
void Machines::join(std::uint32_t section, const std::string& trait, std::map<std::string, std::uint32_t>& known) {
    const auto [found, is_new] = known.try_emplace(trait, section);
    if (is_new) return;
    const auto [low, high] = std::minmax({root_of(section), root_of(found->second)});
    parents[high] = low;
}

std::uint32_t Machines::of(Side side, std::uint32_t section) const { return parents[places.at(side).first + section]; }

std::size_t Machines::count(Side side) const {
    const auto [first, last] = places.at(side);
    return std::set<std::uint32_t>(parents.begin() + first, parents.begin() + last).size();
}

}  // namespace tocuda
