// tocuda, Apache-2.0.
// A claim that the judge does not decide is inconclusive, with the missing evidence as the reason.
#include "worker/judging.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

namespace tocuda {

MappedDrivers mapped_drivers(std::istream& maps) {
    MappedDrivers found;
    for (std::string line; std::getline(maps, line);) {
        const bool driver = line.find("/libcuda.so") != std::string::npos;
        const bool runtime = line.find("/libcudart.so") != std::string::npos;
        const bool ours = line.find("/simulator/") != std::string::npos;
        found.ours = found.ours || (ours && (driver || runtime));
        const bool management = line.find("/libnvidia-ml.so") != std::string::npos;
        found.real = found.real || (!ours && (driver || management));
    }
    return found;
}

std::string mapped_libcuda(std::istream& maps) {
    std::string files, last;
    for (std::string line; std::getline(maps, line);) {
        const auto path = line.find('/');
        if (path == std::string::npos || line.find("/libcuda.so") == std::string::npos) continue;
        if (line.substr(path) == last) continue;  // a library has several mappings in a row
        last = line.substr(path);
        files += (files.empty() ? "" : ",") + last;
    }
    return files;
}

Device device_of_this_process(const std::function<bool()>& gpu_answered) {
    std::ifstream maps("/proc/self/maps");
    const auto mapped = mapped_drivers(maps);
    if (mapped.ours && mapped.real)
        throw std::runtime_error(
            "a real driver is mapped beside a simulated or fake one: no observation can be trusted");
    if (mapped.ours) return Device::simulated;
    return mapped.real && gpu_answered && gpu_answered() ? Device::real : Device::none;
}

std::vector<RulingLine> judge_row(const Entry& entry, const Row& row) {
    std::vector<RulingLine> rulings;
    const auto& variants = entry.scenario.variants;
    const auto variant = std::find_if(variants.begin(), variants.end(),
                                      [&](const Variant& candidate) { return candidate.name == row.variant; });
    if (variant == variants.end()) return rulings;

    Judgement judgement;
    std::string open = "the evidence does not decide this claim";
    if (!row.evidence.outcome.normal() && !entry.scenario.judges_ends) {
        for (const auto& [claim, verdict] : variant->expected)
            judgement(claim, Verdict::broken, describe_end(row.evidence));
    } else {
        try {
            if (row.evidence.has(lacked)) throw Undecided(row.evidence.text(lacked));
            entry.judge(row.evidence, judgement);
        } catch (const Undecided& undecided) {
            open = undecided.what();
        }
    }
    for (const auto& [claim, verdict] : variant->expected) {
        const auto ruling = std::find_if(judgement.rulings.begin(), judgement.rulings.end(),
                                         [&, id = claim](const Ruling& given) { return given.claim == id; });
        rulings.push_back({row.name, row.variant,
                           ruling != judgement.rulings.end() ? *ruling : Ruling{claim, Verdict::inconclusive, open}});
    }
    return rulings;
}

}  // namespace tocuda
