// tocuda, Apache-2.0.
#include "comparison_input/two_models.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "comparison_input/unpaired_rows.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

using SecondsByRow = std::map<std::uint32_t, std::vector<double>>;

bool counts(const ProcessTime& time) { return time.gpu != no_gpu && time.why == no_text && time.status == Status::ok; }

// Adds to `rows` what was measured. Returns the model, or nothing if there are several or none.
std::optional<std::string> gather(const RowNames& names, std::span<const GatheredSection> sections,
                                  SecondsByRow& rows) {
    std::set<std::string> models;
    for (const auto& section : sections)
        for (const auto& time : section.processes) {
            if (time.gpu != no_gpu) models.insert(names.gpu(time.gpu).model);
            if (counts(time)) rows[time.row].push_back(time.seconds);
        }
    return models.size() == 1 ? std::optional(*models.begin()) : std::nullopt;
}

}  // namespace

void show_two_models(const RowNames& names, std::span<const GatheredSection> before,
                     std::span<const GatheredSection> after, ChangeReport& report) {
    SecondsByRow old_rows, new_rows;
    const auto old_model = gather(names, before, old_rows), new_model = gather(names, after, new_rows);
    if (!old_model || !new_model || *old_model == *new_model) return;
    report.models = TwoModels{*old_model, *new_model, {}};
    for (const auto& [row, seconds] : old_rows)
        if (const auto other = new_rows.find(row); other != new_rows.end()) {
            const auto& name = names.name(row);
            report.models->rows.push_back({name.benchmark, name.parameters, median(seconds), median(other->second)});
        }
    std::erase_if(report.unpaired, [](const Unpaired& one) { return one.why == on_another_gpu; });
    for (auto& one : report.unpaired)
        for (const auto& [side, model] : {std::pair("old", *old_model), std::pair("new", *new_model)})
            if (one.why == on_one_side(side)) one.why = "measured on " + model + " only";
    report.gpus_before.clear();
    report.gpus_after.clear();
}

}  // namespace tocuda
