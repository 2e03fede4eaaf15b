// tocuda, Apache-2.0.
#include "comparison_input/attribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "model/words.hpp"

namespace tocuda {
namespace {

struct PartName {
    std::string_view part;
    std::string_view words;
};

// Parts that people change on purpose come first.
constexpr std::array parts{PartName{"driver", "the driver"},
                           PartName{"libtorch", "LibTorch"},
                           PartName{"cuda", "CUDA"},
                           PartName{"suite", "tocuda itself"},
                           PartName{"imported", "the tool"},
                           PartName{"machine", "the machine"},
                           PartName{"gpu", "the GPU"},
                           PartName{"protocol", "the protocol"},
                           PartName{"device", "what it was measured on"},
                           PartName{"simulated", "what was simulated"}};

std::vector<FieldChange> of_part(const std::vector<FieldChange>& changes, std::string_view part) {
    std::vector<FieldChange> mine;
    for (const auto& change : changes)
        if (part_of(change.field) == part) mine.push_back(change);
    return mine;
}

// "700 -> 600 W"
std::string values_of(const FieldChange& change) {
    return short_value(change.field, *change.before) + " -> " + value_words(change.field, *change.after);
}

std::string with_words(const FieldChange& change) { return field_words(change.field) + " " + values_of(change); }

// The driver's version, followed by its other changed fields in brackets.
std::string details(const std::vector<FieldChange>& changes) {
    const auto version = std::find_if(changes.begin(), changes.end(),
                                      [](const auto& one) { return one.field == "driver.kernel_module"; });
    std::vector<std::string> rest;
    for (const auto& one : changes) {
        if (version != changes.end() && one.field == version->field) continue;
        rest.push_back(one.field == "driver.cuda" ? "CUDA " + values_of(one) : with_words(one));
    }
    if (version == changes.end()) return joined(rest);
    return values_of(*version) + (rest.empty() ? "" : " (" + joined(rest) + ")");
}

// The changed parts in order, as text; the first is kept apart.
struct Changed {
    const PartName* first = nullptr;
    std::string first_details{};
    std::vector<std::string> others{};
};

Changed by_part(const std::vector<FieldChange>& changes) {
    Changed changed;
    for (const auto& part : parts) {
        const auto mine = of_part(changes, part.part);
        if (mine.empty()) continue;
        if (!changed.first) {
            changed.first = &part;
            changed.first_details = details(mine);
            continue;
        }
        for (const auto& one : mine)  // that of several GPUs once
            if (const auto words = with_words(one); std::ranges::find(changed.others, words) == changed.others.end())
                changed.others.push_back(words);
    }
    return changed;
}

std::string mixed_words(const MixedField& field) {
    return "the " + field.side + " side has several values of " + field_words(field.field) + " (" +
           joined(field.values) + ")";
}

std::string unknown_words(const std::vector<FieldChange>& unknown) {
    std::vector<std::string> words;
    for (const auto& one : unknown) {
        const auto word = field_words(one.field) + " (" + (one.before ? "old" : "new") + " only)";
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    return "recorded on one side only: " + joined(words);
}

void conclude(Attribution& attribution) {
    const auto changed = by_part(attribution.changed);
    std::vector<std::string> against;
    if (!changed.others.empty())
        against.push_back("besides " + std::string(changed.first->words) + " (" + changed.first_details +
                          "), this changed: " + joined(changed.others));
    for (const auto& field : attribution.mixed) against.push_back(mixed_words(field));
    if (!attribution.unknown.empty()) against.push_back(unknown_words(attribution.unknown));
    const auto one_part = changed.first ? std::string(changed.first->words) + " changed: " + changed.first_details : "";
    if (!against.empty()) {
        const bool told = changed.first && changed.others.empty();
        attribution.text = (told ? one_part + "; " : "") + "not attributable: " + joined(against, "; ");
    } else if (changed.first) {
        attribution.text = "only " + one_part;
        attribution.only = std::string(changed.first->part);
    } else {
        attribution.text = "no recorded field changed";
    }
}

}  // namespace

void SideFields::add(const Fields& fields) {
    for (const auto& [field, value] : fields) values[field].insert(value);
}

void SideFields::add_gpu(int number, const Gpu& gpu) {
    for (const auto& [field, value] : fields_of(gpu)) values[fmt::format("gpus[{}].{}", number, field)].insert(value);
}

Attribution attribute(const SideFields& before, const SideFields& after) {
    Attribution attribution;
    auto fields = before.values;
    fields.insert(after.values.begin(), after.values.end());
    const auto values_on = [](const SideFields& side, const std::string& field) {
        const auto found = side.values.find(field);
        return found == side.values.end() ? std::vector<std::string>{}
                                          : std::vector<std::string>(found->second.begin(), found->second.end());
    };
    for (const auto& [field, any] : fields) {
        const auto old_values = values_on(before, field);
        const auto new_values = values_on(after, field);
        if (old_values == new_values) continue;
        if (old_values.empty()) attribution.unknown.push_back({field, std::nullopt, joined(new_values)});
        else if (new_values.empty()) attribution.unknown.push_back({field, joined(old_values), std::nullopt});
        else if (old_values.size() == 1 && new_values.size() == 1)
            attribution.changed.push_back({field, old_values[0], new_values[0]});
        if (old_values.size() > 1 && !new_values.empty()) attribution.mixed.push_back({field, "old", old_values});
        if (new_values.size() > 1 && !old_values.empty()) attribution.mixed.push_back({field, "new", new_values});
    }
    const bool differs =
        before.simulated.size() == 1 && after.simulated.size() == 1 && before.simulated != after.simulated;
    if (differs && attribution.changed.empty() && attribution.unknown.empty() && attribution.mixed.empty())
        attribution.changed.push_back({"simulated", *before.simulated.begin(), *after.simulated.begin()});
    conclude(attribution);
    return attribution;
}

void tell_cause(ChangeReport& report) {
    auto& attribution = report.attribution;
    if (attribution.only != "driver" || report.after.runs.empty()) return;
    bool sure = false, separated = true, told = !report.apart.empty();
    for (const auto& one : report.rows) {
        const auto& change = one.change;
        sure = sure || is_change(change.verdict);
        separated = separated && !fails_now(one) && (!is_change(change.verdict) || change.is_separated);
        told = told || is_change(change.verdict) || is_likely(change.verdict) || leaning(change) || fails_now(one) ||
               change.apart > 0 || !change.unlike_gpus.empty();
    }
    attribution.is_cause = sure && separated;
    if (attribution.is_cause || !told) return;
    constexpr std::string_view only = "only ";
    attribution.text = "since " + report.after.runs.front().run.time.substr(0, 10) + " " +
                       attribution.text.substr(only.size()) + "; not shown to be the cause";
}

}  // namespace tocuda
