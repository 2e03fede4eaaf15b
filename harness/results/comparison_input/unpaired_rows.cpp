// tocuda, Apache-2.0.
#include <algorithm>

#include "comparison_input/gathering.hpp"
#include "comparison_input/paired_rows.hpp"
#include "comparison_input/two_models.hpp"

namespace tocuda {
namespace {

constexpr std::size_t names_told = 3;

template <class Value>
std::string against(const char* what, Value mine, Value other, Side has, std::string (*text)(Value)) {
    const auto before = has == Side::before ? mine : other;
    const auto after = has == Side::before ? other : mine;
    return std::string(what) + text(before) + " against " + text(after);
}

}  // namespace

UnpairedRows::UnpairedRows(const RowCells& cells) {
    for (const auto& [key, cell] : cells) namesakes[{key.benchmark, key.parameters}].emplace_back(&key, &cell);
}

bool UnpairedRows::take(const RowKey& key, const RowCell& cell, const CountedStarts& before,
                        const CountedStarts& after) {
    const bool has_before = !cell.of(Side::before).empty();
    const bool has_after = !cell.of(Side::after).empty();
    // A p99 on one side only is not listed: the row that it belongs to is compared, or listed itself.
    if (has_before != has_after && key.id.ends_with(std::string("-") + tail_quantile)) return true;
    if (has_before && has_after) {
        if (before.skipped && after.skipped) add("skipped on both sides", key, Side::before);
        else if (before.skipped) add("skipped on the old side: " + before.invalid, key, Side::before);
        else if (after.skipped) add("skipped on the new side: " + after.invalid, key, Side::before);
        return before.skipped || after.skipped;
    }
    const auto has = has_before ? Side::before : Side::after;
    add(why(key, has), key, has);
    return true;
}

std::string UnpairedRows::why(const RowKey& key, Side has) const {
    const auto other = has == Side::before ? Side::after : Side::before;
    std::string best;
    for (const auto& [namesake, cell] : namesakes.at({key.benchmark, key.parameters})) {
        if (cell->of(other).empty()) continue;
        if (namesake->device != key.device)
            best = against<Device>("", key.device, namesake->device, has,
                                   [](Device device) { return std::string(word(device)); });
        else if (namesake->clock != key.clock)
            best = against<Clock>("", key.clock, namesake->clock, has,
                                  [](Clock clock) { return "the clock of the " + std::string(word(clock)); });
        else if (namesake->protocol != key.protocol)
            best = against<int>("protocol ", key.protocol, namesake->protocol, has,
                                [](int version) { return std::to_string(version); });
        else if (namesake->id != key.id) best = "different ids: not measured in the same way";
        else if (namesake->gpu != key.gpu) best = on_another_gpu;
        else best = "measured between GPUs that the other side does not have";
    }
    return best.empty() ? on_one_side(word_of(has)) : best;
}

// A row that differs between the sides counts once, not twice.
void UnpairedRows::add(const std::string& why, const RowKey& key, Side has) {
    auto& [said, rows] = found[why];
    said.why = why;
    said.count = std::max(said.count, ++rows[has]);
    const auto name = key.benchmark + (key.parameters.empty() ? "" : " " + key.parameters);
    const bool told = std::find(said.first.begin(), said.first.end(), name) != said.first.end();
    if (!told && said.first.size() < names_told) said.first.push_back(name);
}

std::vector<Unpaired> UnpairedRows::said() const {
    std::vector<Unpaired> all;
    for (const auto& [why, one] : found) all.push_back(one.said);
    return all;
}

}  // namespace tocuda
