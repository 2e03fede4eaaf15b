// tocuda, Apache-2.0.
#include "command/bench_units.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace tocuda {
namespace {

// "9.0" as 90; 0 if it cannot be parsed.
int capability(const std::string& text) {
    int major = 0;
    int minor = 0;
    const auto dot = std::from_chars(text.data(), text.data() + text.size(), major);
    if (dot.ptr < text.data() + text.size()) std::from_chars(dot.ptr + 1, text.data() + text.size(), minor);
    return 10 * major + minor;
}

std::string too_old(const Needs& needs, const Gpu& gpu) {
    if (needs.compute_capability.empty() || !gpu.compute_capability) return "";
    if (capability(*gpu.compute_capability) >= capability(needs.compute_capability)) return "";
    return fmt::format("needs compute capability {}; {} has {}", needs.compute_capability, gpu.name.value_or("the GPU"),
                       *gpu.compute_capability);
}

std::string too_small(const Needs& needs, const Gpu& gpu) {
    constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;
    if (!gpu.memory_bytes) return "";
    const auto gib = static_cast<double>(*gpu.memory_bytes) / bytes_of_gib;
    return gib >= needs.free_gib
               ? ""
               : fmt::format("needs {:g} GiB; {} has {:.3g}", needs.free_gib, gpu.name.value_or("the GPU"), gib);
}

std::string unsuited(const Needs& needs, const std::vector<int>& visible, const std::vector<Gpu>& gpus) {
    for (const int index : visible)
        for (const auto& gpu : gpus) {
            if (gpu.index != index) continue;
            if (auto why = too_old(needs, gpu); !why.empty()) return why;
            if (auto why = too_small(needs, gpu); !why.empty()) return why;
        }
    return "";
}

}  // namespace

bool needs_a_gpu(const std::vector<Sweep>& sweeps) {
    return std::any_of(sweeps.begin(), sweeps.end(), [](const Sweep& sweep) { return sweep.benchmark.needs.gpus > 0; });
}

std::vector<std::string> uuids_of(const std::vector<int>& chosen, const std::vector<Gpu>& gpus) {
    std::vector<std::string> uuids;
    for (const int gpu : chosen) uuids.push_back(gpus.at(static_cast<std::size_t>(gpu)).uuid.value_or(""));
    if (std::find(uuids.begin(), uuids.end(), "") != uuids.end()) uuids.clear();
    return uuids;
}

std::vector<BenchUnit> units_at_once(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen,
                                     const std::vector<Gpu>& gpus) {
    std::vector<BenchUnit> units;
    for (const auto& sweep : sweeps) {
        const auto& needs = sweep.benchmark.needs;
        if (needs.gpus == 1) units.push_back({&sweep, chosen, unsuited(needs, chosen, gpus), true});
        else if (needs.gpus == 0) units.push_back({&sweep, {}, "needs no GPU, so --together does not apply"});
        else
            units.push_back(
                {&sweep, {}, fmt::format("needs {} GPUs in one process, so --together does not apply", needs.gpus)});
    }
    return units;
}

std::vector<BenchUnit> bench_units(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen, bool by_name,
                                   const std::vector<Gpu>& gpus) {
    std::vector<int> together = chosen;
    if (!by_name) {
        together.resize(gpus.size());
        std::iota(together.begin(), together.end(), 0);
    }
    std::vector<BenchUnit> units;
    for (const auto& sweep : sweeps) {
        const auto& needs = sweep.benchmark.needs;
        if (needs.gpus == 0) units.push_back({.sweep = &sweep});
        if (needs.gpus == 1)
            for (const int gpu : chosen) units.push_back({&sweep, {gpu}, unsuited(needs, {gpu}, gpus)});
        if (needs.gpus < 2) continue;
        auto why = unsuited(needs, together, gpus);
        if (static_cast<int>(together.size()) < needs.gpus)
            why = fmt::format("needs {} GPUs; found {}", needs.gpus, together.size());
        units.push_back({&sweep, together, why});
    }
    return units;
}

}  // namespace tocuda
