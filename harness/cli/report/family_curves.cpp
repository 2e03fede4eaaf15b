// tocuda, Apache-2.0.
#include "report/family_curves.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "printing/bench_families.hpp"

namespace tocuda::page {

bool by_host(const Path& path) { return path.rows.front()->clock == Clock::host; }

std::string label_of(const Path& path) { return by_host(path) ? path.label + std::string(host_clock) : path.label; }

std::string title_of(const Family& family, const std::string& what) {
    return family.name + ": " + what + (family.where.empty() ? "" : ", " + family.where);
}

std::vector<Family> families_of(const std::vector<RowSummary>& rows) {
    std::set<std::string> gpus;
    for (const auto& row : rows)
        if (!row.gpu.empty()) gpus.insert(row.gpu);
    std::vector<Family> families;
    std::map<std::tuple<std::string, std::string, std::string, Device>, std::size_t> known;
    for (auto& family : bench_families(rows)) {
        const auto& first = *family.paths.front().rows.front();
        const auto [found, is_new] =
            known.try_emplace({family.name, first.gpu, first.peer, first.device}, families.size());
        const bool several = gpus.size() > 1 && !first.gpu.empty();
        const auto* mark = first.device == Device::simulated ? "SIMULATED " : "";
        if (is_new)
            families.push_back(
                {family.name, several ? "on " + (mark + first.gpu) + (first.peer.empty() ? "" : " with " + first.peer)
                              : *mark ? "on a SIMULATED GPU"
                                      : ""});
        for (auto& path : family.paths)
            families[found->second].paths.push_back(
                {path.label.substr(std::min(path.label.size(), path.label.find_first_not_of(' '))), path.rows});
    }
    return families;
}

}  // namespace tocuda::page
