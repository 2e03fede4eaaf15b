// tocuda, Apache-2.0.
#include "json_lines/replay_document.hpp"

#include "json_lines/dom.hpp"
#include "json_lines/json.hpp"

namespace tocuda {
namespace {

using dom::Element;
using dom::Fields;

Fields object_in(const Fields& fields, std::string_view name) {
    return Fields(dom::field<simdjson::dom::object>(fields, name));
}

template <class Type>
std::optional<Type> optional_field(const Fields& fields, std::string_view name) {
    const auto* found = fields.find(name);
    if (!found || found->is_null()) return std::nullopt;
    return dom::as<Type>(*found, name);
}

std::string shown(const Fields& fields, std::string_view name) {
    const auto* found = fields.find(name);
    return !found || found->is_null() ? "" : dom::to_text(*found, name, As::shown);
}

std::vector<std::string> shown_list(const Fields& fields, std::string_view name) {
    std::vector<std::string> texts;
    for (const auto element : dom::field<simdjson::dom::array>(fields, name))
        texts.push_back(dom::to_text(element, name, As::shown));
    return texts;
}

ReplaySource source_in(const Fields& fields) {
    return {.sha256 = shown(fields, "sha256"),
            .settings = shown(fields, "settings"),
            .events = dom::field<std::int64_t>(fields, "events"),
            .truncated = optional_field<bool>(fields, "truncated"),
            .start_bytes = dom::field<std::int64_t>(fields, "start_bytes"),
            .ends_in_oom = dom::field<bool>(fields, "ends_in_oom")};
}

ReplaySame same_in(const Fields& fields) {
    ReplaySame same{.segment_events = dom::field<std::int64_t>(fields, "segment_events"),
                    .matching = dom::field<std::int64_t>(fields, "matching"),
                    .reproduced = dom::field<bool>(fields, "reproduced"),
                    .reserved_peak_bytes = dom::field<std::int64_t>(fields, "reserved_peak_bytes"),
                    .guesses = shown_list(fields, "guesses")};
    if (!optional_field<simdjson::dom::object>(fields, "first_difference")) return same;
    const auto difference = object_in(fields, "first_difference");
    same.first_difference = {.number = dom::field<std::int64_t>(difference, "number"),
                             .recorded = shown(difference, "recorded"),
                             .replayed = shown(difference, "replayed")};
    return same;
}

ReplayRow row_in(const Fields& fields) {
    ReplayRow row{.torch = shown(fields, "torch"),
                  .settings = shown(fields, "settings"),
                  .capacity_bytes = optional_field<std::int64_t>(fields, "capacity_bytes"),
                  .survived = optional_field<bool>(fields, "survived"),
                  .reserved_peak_bytes = dom::field<std::int64_t>(fields, "reserved_peak_bytes"),
                  .allocated_peak_bytes = dom::field<std::int64_t>(fields, "allocated_peak_bytes"),
                  .retries = dom::field<std::int64_t>(fields, "retries"),
                  .basis = shown(fields, "basis"),
                  .guesses = shown_list(fields, "guesses")};
    if (optional_field<simdjson::dom::object>(fields, "oom")) {
        const auto oom = object_in(fields, "oom");
        row.oom = {.event = dom::field<std::int64_t>(oom, "event"),
                   .size = dom::field<std::int64_t>(oom, "size"),
                   .line = shown(oom, "line")};
    }
    if (const auto bytes = optional_field<std::int64_t>(fields, "smallest_bytes")) {
        row.smallest = {.bytes = *bytes, .basis = shown(fields, "smallest_basis")};
        for (const auto element : dom::field<simdjson::dom::array>(fields, "fails_above_bytes"))
            row.smallest->fails_above.push_back(dom::as<std::int64_t>(element, "fails_above_bytes"));
    }
    return row;
}

std::variant<Replayed, ReplayRefused> answer_in(const Fields& fields) {
    if (fields.find("refused"))
        return ReplayRefused{.code = dom::field<int>(fields, "code"), .why = shown(fields, "refused")};
    Replayed replayed{.source = source_in(object_in(fields, "source")),
                      .torch = shown(fields, "torch"),
                      .same = same_in(object_in(fields, "same"))};
    for (const auto element : dom::field<simdjson::dom::array>(fields, "what_if"))
        replayed.rows.push_back(row_in(Fields(dom::as<simdjson::dom::object>(element, "what_if"))));
    return replayed;
}

json::Json or_null(const std::string& text) { return text.empty() ? json::Json() : json::Json(text); }

template <class Type>
json::Json or_null(const std::optional<Type>& value) {
    return value ? json::Json(*value) : json::Json();
}

json::Json to_json(const ReplayRow& row) {
    json::Json object{{"torch", row.torch},
                      {"settings", row.settings},
                      {"capacity_bytes", or_null(row.capacity_bytes)},
                      {"survived", or_null(row.survived)},
                      {"oom", nullptr},
                      {"reserved_peak_bytes", row.reserved_peak_bytes},
                      {"allocated_peak_bytes", row.allocated_peak_bytes},
                      {"retries", row.retries},
                      {"basis", row.basis},
                      {"guesses", row.guesses}};
    if (row.oom) object["oom"] = {{"event", row.oom->event}, {"size", row.oom->size}, {"line", or_null(row.oom->line)}};
    if (row.smallest) {
        object["smallest_bytes"] = row.smallest->bytes;
        object["smallest_basis"] = row.smallest->basis;
        object["fails_above_bytes"] = row.smallest->fails_above;
    }
    return object;
}

}  // namespace

std::string to_text(const ReplayRequest& request) {
    return json::text(json::Json{{"file", request.file},
                                 {"settings", request.settings},
                                 {"capacities", request.capacities},
                                 {"smallest", request.smallest}});
}

Expected<std::variant<Replayed, ReplayRefused>> replay_answer(std::string_view text) {
    return dom::parsed<std::variant<Replayed, ReplayRefused>>(text, answer_in);
}

std::string replay_document(const Replayed& replayed) {
    const auto& [source, torch, same, rows] = replayed;
    json::Json document{{"kind", "replay"},
                        {"source",
                         {{"sha256", source.sha256},
                          {"torch", nullptr},  // no snapshot says it
                          {"settings", source.settings},
                          {"events", source.events},
                          {"truncated", or_null(source.truncated)},
                          {"filtered", false},
                          {"start_bytes", source.start_bytes},
                          {"ends_in_oom", source.ends_in_oom}}},
                        {"torch", torch},
                        {"same",
                         {{"segment_events", same.segment_events},
                          {"matching", same.matching},
                          {"reproduced", same.reproduced},
                          {"first_difference", nullptr},
                          {"reserved_peak_bytes", same.reserved_peak_bytes},
                          {"guesses", same.guesses}}},
                        {"what_if", json::Json::array()}};
    if (const auto& difference = same.first_difference)
        document["same"]["first_difference"] = {{"number", difference->number},
                                                {"recorded", or_null(difference->recorded)},
                                                {"replayed", or_null(difference->replayed)}};
    for (const auto& row : rows) document["what_if"].push_back(to_json(row));
    return json::pretty(document);
}

}  // namespace tocuda
