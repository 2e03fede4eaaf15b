// tocuda, Apache-2.0.
#include "summary/published_band.hpp"

#include <algorithm>
#include <set>

namespace tocuda {
namespace {

// Older drivers leave out the first word.
std::string_view without_maker(std::string_view name) {
    constexpr std::string_view maker = "NVIDIA ";
    return name.starts_with(maker) ? name.substr(maker.size()) : name;
}

std::string model_of(const RunLine& run, const std::string& uuid) {
    for (const auto& gpu : run.gpus)
        if (gpu.uuid == uuid) return gpu.name.value_or("");
    return "";
}

std::optional<double> rate_of(const RowSummary& row, RateOf counts) {
    if (counts == RateOf::payload) return row.bytes_per_second_one_way;
    return counts == RateOf::touched ? row.bytes_per_second_touched : row.items_per_second;
}

bool has_all(const Parameters& parameters, const Parameters& wanted) {
    return std::ranges::all_of(wanted, [&](const auto& one) {
        const auto found = parameters.find(one.first);
        return found != parameters.end() && found->second == one.second;
    });
}

enum class Size { other, perhaps_alike, alike };

Size size_of(const PublishedNumber& number, const PublishedQuantity& quantity, const Parameters& parameters) {
    const auto bytes = whole_if_any(parameters, "bytes");
    if (!bytes) return Size::alike;  // the parameters tell it
    const auto from = quantity.alike_from_bytes;
    if (!number.bytes) return !from || *bytes >= *from ? Size::perhaps_alike : Size::other;
    if (from && *bytes >= *from && *number.bytes >= *from) return Size::alike;
    constexpr int factor = 4;
    return *bytes <= factor * *number.bytes && *number.bytes <= factor * *bytes ? Size::alike : Size::other;
}

void sort_in(const PublishedNumber& number, const PublishedQuantity& quantity, const Parameters& parameters,
             HeldRow& held) {
    const auto size = size_of(number, quantity, parameters);
    if (size == Size::other) return;
    const bool counts = number.kind == "measured" && number.counts == quantity.counts && size == Size::alike;
    (counts ? held.band : held.others).push_back(number);
}

PublishedStanding standing_of(const HeldRow& held) {
    if (held.sources < published_sources_min) return PublishedStanding::shown;
    const auto [lowest, highest] = std::ranges::minmax(held.band, {}, &PublishedNumber::per_second);
    if (held.per_second > highest.per_second) return PublishedStanding::above;
    if (held.per_second >= lowest.per_second) return PublishedStanding::within;
    return held.per_second < lowest.per_second * (1 - unusual_part) ? PublishedStanding::low : PublishedStanding::below;
}

// What a row measures, in the words of the benchmark that the numbers are of.
struct Measured {
    const PublishedQuantity* quantity = nullptr;
    Parameters parameters{};
};

std::optional<Measured> measured_by(const RowSummary& row, const std::vector<PublishedQuantity>& quantities) {
    for (const auto& quantity : quantities) {
        if (quantity.benchmark == row.benchmark) return Measured{&quantity, row.parameters};
        for (const auto& alias : quantity.also) {
            if (alias.benchmark != row.benchmark || !has_all(row.parameters, alias.where)) continue;
            auto parameters = row.parameters;
            parameters.insert(alias.stands_for.begin(), alias.stands_for.end());
            return Measured{&quantity, std::move(parameters)};
        }
    }
    return std::nullopt;
}

HeldRow held_row(const Published& published, const Measured& measured, const RunLine& run, const RowSummary& row) {
    const auto& quantity = *measured.quantity;
    const auto gpus = whole_if_any(measured.parameters, "ranks").value_or(std::ssize(run.gpus));
    HeldRow held{.benchmark = row.benchmark,
                 .parameters = row.parameters,
                 .id = row.id,
                 .gpu = row.gpu,
                 .model = model_of(run, row.gpu),
                 .counts = quantity.counts,
                 .per_second = rate_of(row, quantity.counts).value_or(0),
                 .percent_of_peak = row.percent_of_peak,
                 .look_at = quantity.look_at};
    for (const auto& number : published.numbers)
        if (number.benchmark == quantity.benchmark && !number.gpu.empty() &&
            without_maker(number.gpu) == without_maker(held.model) && has_all(measured.parameters, number.parameters) &&
            (!quantity.all_gpus || number.gpus == gpus))
            sort_in(number, quantity, measured.parameters, held);
    std::set<std::string> sources;
    for (const auto& number : held.band) sources.insert(number.by);
    held.sources = static_cast<int>(sources.size());
    held.standing = standing_of(held);
    return held;
}

// Keeps the slowest of several GPUs.
void add(HeldRow held, std::vector<HeldRow>& all) {
    const auto same = std::ranges::find(all, held.id, &HeldRow::id);
    if (same == all.end()) all.push_back(std::move(held));
    else if (held.per_second < same->per_second) *same = std::move(held);
}

}  // namespace

std::vector<HeldRow> held_against(const Published& published, const RunLine& run, const std::vector<RowSummary>& rows) {
    std::vector<HeldRow> all;
    for (const auto& row : rows) {
        const auto measured = measured_by(row, published.quantities);
        if (!measured || row.device != Device::real || row.status != Status::ok) continue;
        if (auto held = held_row(published, *measured, run, row);
            held.per_second > 0 && !(held.band.empty() && held.others.empty()))
            add(std::move(held), all);
    }
    return all;
}

}  // namespace tocuda
