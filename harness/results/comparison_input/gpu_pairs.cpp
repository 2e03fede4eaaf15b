// tocuda, Apache-2.0.
#include "comparison_input/gpu_pairs.hpp"

#include <algorithm>
#include <set>

namespace tocuda {
namespace {

using Identities = std::set<GpuIdentity>;

Identities measured(const RowNames& names, std::span<const GatheredSection> sections) {
    std::set<std::uint32_t> numbers;
    for (const auto& section : sections)
        for (const auto& time : section.processes) {
            numbers.insert(time.gpu);
            numbers.insert(time.peer);
        }
    Identities gpus;
    for (const auto number : numbers)
        if (number != no_gpu) gpus.insert(names.gpu(number));
    return gpus;
}

Identities named(std::span<const GatheredSection> sections) {
    Identities gpus;
    for (const auto& section : sections)
        for (const auto& gpu : section.run.gpus)
            if (gpu.uuid) gpus.insert({*gpu.uuid, gpu.name.value_or("")});
    return gpus;
}

void add_pair(GpuPairs& pairs, const GpuIdentity& before, const GpuIdentity& after) {
    const int number = static_cast<int>(pairs.pairs.size());
    pairs.pairs.push_back({before, after});
    pairs.before.emplace(before, number);
    pairs.after.emplace(after, number);
}

std::map<std::string, std::vector<GpuIdentity>> by_model(const Identities& gpus) {
    std::map<std::string, std::vector<GpuIdentity>> models;
    for (const auto& gpu : gpus) models[gpu.model].push_back(gpu);
    return models;
}

std::string words_of(const GpuIdentity& gpu) {
    return (gpu.model.empty() ? "a GPU" : gpu.model) + " (" + gpu.uuid + ")";
}

std::string words_of_those_alone(const Identities& gpus, const std::map<GpuIdentity, int>& paired) {
    std::string words;
    for (const auto& gpu : gpus)
        if (!paired.contains(gpu)) words += (words.empty() ? "" : ", ") + words_of(gpu);
    return words;
}

int number_in(const std::map<GpuIdentity, int>& numbers, const GpuIdentity& gpu) {
    const auto found = numbers.find(gpu);
    return found == numbers.end() ? -1 : found->second;
}

}  // namespace

int GpuPairs::number_before(const GpuIdentity& gpu) const { return number_in(before, gpu); }
int GpuPairs::number_after(const GpuIdentity& gpu) const { return number_in(after, gpu); }

GpuPairs pair_gpus(const RowNames& names, std::span<const GatheredSection> before,
                   std::span<const GatheredSection> after, bool against_recorded) {
    auto old_gpus = measured(names, before);
    auto new_gpus = measured(names, after);
    if (old_gpus.empty() && new_gpus.empty()) {
        old_gpus = named(before);
        new_gpus = named(after);
    }
    GpuPairs pairs;
    for (const auto& gpu : old_gpus)
        if (new_gpus.contains(gpu)) add_pair(pairs, gpu, gpu);
    const auto new_models = by_model(new_gpus);
    for (const auto& [model, gpus] : by_model(old_gpus)) {
        const auto found = new_models.find(model);
        if (model.empty() || gpus.size() != 1 || found == new_models.end()) continue;
        const auto& others = found->second;
        if ((others.size() > 1 && !against_recorded) || std::ranges::find(others, gpus.front()) != others.end())
            continue;
        add_pair(pairs, gpus.front(), others.front());
        for (const auto& other : others) pairs.after.emplace(other, pairs.pairs.size() - 1);
    }
    pairs.alone_before = words_of_those_alone(old_gpus, pairs.before);
    pairs.alone_after = words_of_those_alone(new_gpus, pairs.after);
    return pairs;
}

const Gpu* find_gpu(const RunLine& run, const GpuIdentity& identity) {
    for (const auto& gpu : run.gpus)
        if (gpu.uuid == identity.uuid && gpu.name.value_or("") == identity.model) return &gpu;
    return nullptr;
}

SideFields side_fields(std::span<const GatheredSection> sections, const std::map<GpuIdentity, int>& gpus,
                       const std::function<bool(std::uint32_t)>& counts) {
    SideFields fields;
    for (std::uint32_t place = 0; place < sections.size(); ++place) {
        if (!counts(place)) continue;
        const auto& section = sections[place];
        fields.add(fields_of(section.run));
        if (section.run.plan && !section.run.plan->where.simulate.empty())
            fields.simulated.insert(section.run.plan->where.simulate);
        for (const auto& [identity, number] : gpus)
            if (const auto* gpu = find_gpu(section.run, identity)) fields.add_gpu(number, *gpu);
    }
    return fields;
}

Cohort cohort_of(const RunLine& run, const GpuIdentity& gpu) {
    Cohort cohort{.model = gpu.model, .driver = driver_text(run.driver)};
    const auto* known = find_gpu(run, gpu);
    if (!known) return cohort;
    const auto fields = fields_of(*known);
    if (const auto vbios = fields.find("vbios"); vbios != fields.end()) cohort.vbios = vbios->second;
    if (const auto limit = fields.find("power_limit_w"); limit != fields.end()) cohort.power_limit_w = limit->second;
    return cohort;
}

}  // namespace tocuda
