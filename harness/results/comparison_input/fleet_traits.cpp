// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <sstream>

#include "comparison_input/fleet.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

constexpr double clock_difference_least = 0.02;

// Identities and protocol settings explain nothing. The rest of the excluded fields are equal within a cohort.
bool is_no_reason(std::string_view field) {
    return field == "machine.host" || field == "uuid" || field == "device" || field.starts_with("protocol.");
}

std::string label_of(std::string_view field) {
    if (field == "link width" || field == "link generation" || field.starts_with("flag ")) return std::string(field);
    return field_words(part_of(field) == field || field.starts_with("pcie.") ? "gpus." + std::string(field)
                                                                             : std::string(field));
}

std::string value_of(std::string_view field, const std::string& value) {
    return value_words(
        part_of(field) == field || field.starts_with("pcie.") ? "gpus." + std::string(field) : std::string(field),
        value);
}

// Returns the value that more than half of the peers have; empty if most of them have none.
std::optional<std::string> common_value(std::string_view field, const std::vector<const FleetTraits*>& peers) {
    std::map<std::string, std::size_t> counts;
    for (const auto* peer : peers) {
        const auto found = peer->fields.find(field);
        ++counts[found == peer->fields.end() ? "" : found->second];
    }
    for (const auto& [value, count] : counts)
        if (2 * count > peers.size()) return value;
    return std::nullopt;
}

void add(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

}  // namespace

void FleetTraits::add_run(const RunLine& run, const GpuIdentity& identity) {
    for (auto& [field, value] : fields_of(run))
        if (!is_no_reason(field)) fields.insert_or_assign(field, value);
    for (const auto& gpu : run.gpus) {
        if (gpu.uuid != identity.uuid) continue;
        for (auto& [field, value] : fields_of(gpu))
            if (!is_no_reason(field)) fields.insert_or_assign(field, value);
    }
}

void FleetTraits::add_time(const ProcessTime& time, const RowNames& names) {
    const auto take_least = [](int& least, int value) {
        if (value > 0 && (least == 0 || value < least)) least = value;
    };
    take_least(link_width, time.link_width);
    take_least(link_generation, time.link_generation);
    if (time.clock_mhz > 0) clocks.push_back(time.clock_mhz);
    if (time.flags == no_text || !seen_flags.insert(time.flags).second) return;
    std::istringstream lines(names.text(time.flags));
    for (std::string flag; std::getline(lines, flag);) fields.insert_or_assign("flag " + flag, "yes");
}

void FleetTraits::finish() {
    if (link_width > 0) fields.insert_or_assign("link width", std::to_string(link_width));
    if (link_generation > 0) fields.insert_or_assign("link generation", std::to_string(link_generation));
    if (!clocks.empty()) clock_mhz = median(clocks);
    clocks = {};
}

std::string differences(const FleetTraits& mine, const std::vector<const FleetTraits*>& peers) {
    std::string text;
    for (const auto& [field, value] : mine.fields) {
        const auto common = common_value(field, peers);
        if (!common || *common == value || (field == "pcie.width_max" && mine.fields.contains("link width"))) continue;
        if (field.starts_with("flag ")) add(text, field.substr(5));
        else if (common->empty()) continue;
        else add(text, label_of(field) + " " + value_of(field, value) + " instead of " + value_of(field, *common));
    }
    std::vector<double> clocks;
    for (const auto* peer : peers)
        if (peer->clock_mhz > 0) clocks.push_back(peer->clock_mhz);
    if (mine.clock_mhz > 0 && !clocks.empty() && std::abs(mine.clock_mhz / median(clocks) - 1) > clock_difference_least)
        add(text,
            fmt::format("SM clock {} MHz instead of {}", std::lround(mine.clock_mhz), std::lround(median(clocks))));
    return text;
}

}  // namespace tocuda
