// tocuda, Apache-2.0.
#include "comparison_input/attribution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
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
                           PartName{"cuda", "CUDA"},
                           PartName{"libtorch", "LibTorch"},
                           PartName{"machine", "the machine"},
                           PartName{"gpu", "the GPU"},
                           PartName{"protocol", "the protocol"},
                           PartName{"suite", "tocuda itself"},
                           PartName{"imported", "the tool"},
                           PartName{"device", "what it was measured on"},
                           PartName{"simulated", "what was simulated"}};

std::vector<FieldChange> of_part(const std::vector<FieldChange>& changes, std::string_view part) {
    std::vector<FieldChange> mine;
    for (const auto& change : changes)
        if (part_of(change.field) == part) mine.push_back(change);
    std::stable_partition(mine.begin(), mine.end(),
                          [](const auto& change) { return change.field == "machine.kernel"; });
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

// "3x NVIDIA H100 80GB HBM3", of a list of GPUs with their UUIDs.
std::string models_in(const std::string& gpus) {
    std::map<std::string, int> models;
    for (std::size_t at = 0; at < gpus.size();) {
        const auto end = std::min(gpus.find("), ", at), gpus.size());
        ++models[gpus.substr(at, gpus.find(" (", at) - at)];
        at = end + 3;
    }
    return joined(models, ", ",
                  [](const auto& one) { return (one.second > 1 ? fmt::format("{}x ", one.second) : "") + one.first; });
}

std::string mixed_words(const MixedField& field) {
    return "the " + field.side + " side has several values of " + field_words(field.field) + " (" +
           joined(field.values, ", ", [&](const auto& value) { return short_value(field.field, value); }) + ")";
}

// "the old side was measured by nvbandwidth, which records no kernel, CPU, CUDA and 24 more (--json has all fields)"
std::string imported_words(const std::vector<FieldChange>& unknown, const FieldChange& tool, const std::string& side) {
    constexpr std::size_t most = 3;
    std::set<std::string> lacks;
    for (const auto& one : unknown)
        if (bool(one.before) != bool(tool.before)) lacks.insert(field_words(one.field));
    std::vector<std::string> first;
    for (const auto* field : {"machine.kernel", "machine.cpu", "driver.cuda", "libtorch.version"})
        if (first.size() < most && lacks.contains(field_words(field))) first.push_back(field_words(field));
    for (const auto& one : lacks)
        if (first.size() < most && std::ranges::find(first, one) == first.end()) first.push_back(one);
    auto text = side + " was measured by " + (tool.before ? *tool.before : *tool.after);
    if (!first.empty()) text += ", which records no " + joined(first);
    const auto more = std::ssize(lacks) - std::ssize(first);
    return text + (more > 0 ? fmt::format(" and {} more (--json has all fields)", more) : "");
}

std::string unknown_words(const std::vector<FieldChange>& unknown) {
    const auto tool = std::ranges::find(unknown, "imported.tool", &FieldChange::field);
    if (tool != unknown.end()) return imported_words(unknown, *tool, tool->before ? "the old side" : "the new side");
    std::vector<std::string> words;
    for (const auto& one : unknown) {
        const auto word = field_words(one.field) + " (" + (one.before ? "old" : "new") + " only)";
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    return "recorded on one side only: " + joined(words);
}

// What is told with its values. The rest are identities, of which only the names are told.
struct Told {
    std::vector<FieldChange> changed{};
    std::vector<MixedField> mixed{};
    std::vector<FieldChange> unknown{};
    std::vector<std::string> also{};

    bool empty() const { return changed.empty() && mixed.empty() && unknown.empty(); }
};

Told told_of(const Attribution& attribution) {
    Told told;
    const auto sort_in = [&told](const auto& one, auto& list, bool identity) {
        if (!identity) return list.push_back(one);
        const auto name = field_words(one.field);
        if (std::ranges::find(told.also, name) == told.also.end()) told.also.push_back(name);
    };
    for (auto one : attribution.changed) {
        bool identity = is_identity(one.field);
        if (one.field == "gpus") {
            auto before = models_in(*one.before), after = models_in(*one.after);
            identity = before == after;
            if (!identity) std::tie(one.before, one.after) = std::pair(std::move(before), std::move(after));
        }
        sort_in(one, told.changed, identity);
    }
    for (const auto& one : attribution.mixed) sort_in(one, told.mixed, is_identity(one.field));
    for (const auto& one : attribution.unknown) sort_in(one, told.unknown, is_identity(one.field));
    // Where nothing else changed, they are all there is to tell.
    return told.empty() ? Told{attribution.changed, attribution.mixed, attribution.unknown, {}} : told;
}

bool is_of_one_part(const std::vector<FieldChange>& changes) {
    return std::ranges::all_of(changes,
                               [&](const auto& one) { return part_of(one.field) == part_of(changes.front().field); });
}

void conclude(Attribution& attribution) {
    const auto told = told_of(attribution);
    attribution.also = joined(told.also);
    const auto changed = by_part(told.changed);
    std::vector<std::string> against;
    if (!changed.others.empty())
        against.push_back("besides " + std::string(changed.first->words) + " (" + changed.first_details +
                          "), this changed: " + joined(changed.others));
    for (const auto& field : told.mixed) against.push_back(mixed_words(field));
    if (!told.unknown.empty()) against.push_back(unknown_words(told.unknown));
    const bool alone = is_of_one_part(attribution.changed) && attribution.mixed.empty() && attribution.unknown.empty();
    if (against.empty() && !alone) {  // what is not told is the reason
        against.push_back(attribution.also + " changed, too");
        attribution.also.clear();
    }
    const auto one_part = changed.first ? std::string(changed.first->words) + " changed: " + changed.first_details : "";
    if (!against.empty()) {
        const bool is_told = changed.first && changed.others.empty();
        attribution.text = (is_told ? one_part + "; " : "") + "not attributable: " + joined(against, "; ");
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

void tell_differences(Attribution& attribution, const std::string& before, const std::string& after) {
    const auto is_of_gpu = [](const auto& one) { return part_of(one.field) == "gpu"; };
    auto rest = attribution;
    std::erase_if(rest.changed, is_of_gpu);
    std::erase_if(rest.mixed, is_of_gpu);
    std::erase_if(rest.unknown, is_of_gpu);
    const auto told = told_of(rest);
    std::vector<std::string> words;
    for (const auto& part : parts)
        for (const auto& one : of_part(told.changed, part.part))
            words.push_back(field_words(one.field) + " " + short_value(one.field, *one.before) + " against " +
                            value_words(one.field, *one.after));
    for (const auto& one : told.mixed)
        words.push_back(
            fmt::format("{} of {}: {}", field_words(one.field), one.side == "old" ? before : after,
                        joined(one.values, " and ", [&](const auto& value) { return short_value(one.field, value); })));
    const auto tool = std::ranges::find(told.unknown, "imported.tool", &FieldChange::field);
    if (tool != told.unknown.end()) words.push_back(imported_words(told.unknown, *tool, tool->before ? before : after));
    else
        for (const auto& one : told.unknown)
            words.push_back(field_words(one.field) + " (known of " + (one.before ? before : after) + " only)");
    attribution.text = words.empty() ? "nothing recorded besides the GPU" : "besides the GPU: " + joined(words);
    attribution.also = joined(told.also);
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
