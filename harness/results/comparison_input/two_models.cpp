// tocuda, Apache-2.0.
#include "comparison_input/two_models.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "comparison_input/attribution.hpp"
#include "comparison_input/paired_rows.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

bool counts(const ProcessTime& time) { return time.gpu != no_gpu && time.why == no_text && time.status == Status::ok; }

// Of a row: the processes of each run, and which run is the newest.
struct RowTimes {
    std::map<std::string, std::vector<double>> by_run{};
    std::string newest{};

    double seconds() const { return median(by_run.at(newest)); }
};
using TimesByRow = std::map<std::uint32_t, RowTimes>;

// Adds to `rows` what was measured. Returns the model, or nothing if there are several or none.
std::optional<std::string> gather(const RowNames& names, std::span<const GatheredSection> sections, TimesByRow& rows) {
    std::set<std::string> models;
    std::map<std::string, std::string> resumed;  // a run's first section, of those that resume it
    std::vector<const GatheredSection*> in_time;
    for (const auto& section : sections) in_time.push_back(&section);
    std::ranges::stable_sort(in_time, {}, [](const auto* section) { return section->run.time; });
    for (const auto* section : in_time) {
        const auto& [id, before] = std::tie(section->run.run, section->run.resumes);
        const auto first = before ? resumed.try_emplace(*before, *before).first->second : id;
        resumed.emplace(id, first);
        for (const auto& time : section->processes) {
            if (time.gpu != no_gpu) models.insert(names.gpu(time.gpu).model);
            if (!counts(time)) continue;
            rows[time.row].newest = first;
            rows[time.row].by_run[first].push_back(time.seconds);
        }
    }
    return models.size() == 1 ? std::optional(*models.begin()) : std::nullopt;
}

std::string marked(const std::string& model, std::span<const GatheredSection> sections) {
    const auto is_simulated = [](const GatheredSection& one) { return one.run.device == Device::simulated; };
    return (std::ranges::any_of(sections, is_simulated) ? "SIMULATED " : "") + model;
}

}  // namespace

void show_two_models(const RowNames& names, std::span<const GatheredSection> before,
                     std::span<const GatheredSection> after, ChangeReport& report) {
    TimesByRow old_rows, new_rows;
    const auto old_model = gather(names, before, old_rows), new_model = gather(names, after, new_rows);
    if (!old_model || !new_model || *old_model == *new_model) return;
    const auto old_name = marked(*old_model, before), new_name = marked(*new_model, after);
    report.models = TwoModels{old_name, new_name, {}};
    for (const auto& [row, times] : old_rows)
        if (const auto other = new_rows.find(row); other != new_rows.end()) {
            const auto& name = names.name(row);
            report.models->rows.push_back({name.benchmark, name.parameters, times.seconds(), other->second.seconds()});
        }
    std::erase_if(report.unpaired, [](const Unpaired& one) { return one.why == on_another_gpu; });
    for (auto& one : report.unpaired)
        for (const auto& [side, model] : {std::pair("old", old_name), std::pair("new", new_name)})
            if (one.why == on_one_side(side)) one.why = "measured on " + model + " only";
    tell_differences(report.attribution, *old_model, *new_model);
    report.gpus_before.clear();
    report.gpus_after.clear();
}

}  // namespace tocuda
