// tocuda, Apache-2.0.
#include <map>

#include "json_lines/dom.hpp"
#include "json_lines/profile_json.hpp"

namespace tocuda {
namespace {

using dom::Element;
using dom::Fields;

Fields object_in(const Element& element, std::string_view name) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) dom::refuse(name, "has the wrong type");
    return Fields(object);
}

std::string text_or_nothing(const Fields& fields, const char* name) {
    const auto* found = fields.find(name);
    return !found || found->is_null() ? "" : dom::to_text(*found, name, As::shown);
}

std::optional<std::int64_t> whole_or_nothing(const Fields& fields, const char* name) {
    const auto* found = fields.find(name);
    return !found || found->is_null() ? std::nullopt : std::optional(dom::as<std::int64_t>(*found, name));
}

RateOf rate_of(const Fields& fields) {
    const auto text = dom::field<std::string>(fields, "counts");
    for (std::size_t i = 0; i < rate_words.size(); ++i)
        if (rate_words[i] == text) return static_cast<RateOf>(i);
    dom::refuse("counts", "is none of payload, touched, operations");
}

double per_second_of(const Fields& fields) {
    static const std::map<std::string, double> units{{"GB/s", 1e9},          {"MB/s", 1e6},          {"TB/s", 1e12},
                                                     {"GiB/s", 1ULL << 30U}, {"MiB/s", 1ULL << 20U}, {"TFLOPS", 1e12}};
    const auto unit = units.find(dom::field<std::string>(fields, "unit"));
    if (unit == units.end()) dom::refuse("unit", "is not known");
    return dom::field<double>(fields, "value") * unit->second;
}

Parameters parameters_in(const Fields& fields, const char* name) {
    Parameters parameters;
    if (const auto* found = fields.find(name))
        for (const auto& [parameter, value] : object_in(*found, name))
            parameters.emplace(parameter, dom::to_value(value, parameter));
    return parameters;
}

std::vector<Element> list_in(const Fields& fields, const char* name) {
    const auto* found = fields.find(name);
    simdjson::dom::array list;
    if (!found || found->get(list) != simdjson::SUCCESS) dom::refuse(name, "is no list");
    return {list.begin(), list.end()};
}

PublishedQuantity quantity_of(const Element& element) {
    const auto fields = object_in(element, "quantities");
    PublishedQuantity quantity{.benchmark = dom::field<std::string>(fields, "benchmark"),
                               .counts = rate_of(fields),
                               .alike_from_bytes = whole_or_nothing(fields, "alike_from_bytes"),
                               .all_gpus = dom::field<bool>(fields, "all_gpus"),
                               .look_at = dom::field<std::string>(fields, "look_at")};
    if (!fields.find("also")) return quantity;
    for (const auto& one : list_in(fields, "also")) {
        const auto alias = object_in(one, "also");
        quantity.also.push_back({dom::field<std::string>(alias, "benchmark"), parameters_in(alias, "where"),
                                 parameters_in(alias, "stands_for")});
    }
    return quantity;
}

PublishedNumber published_number(const Element& element, const Fields& source) {
    const auto fields = object_in(element, "numbers");
    return {.kind = dom::field<std::string>(fields, "kind"),
            .gpu = text_or_nothing(fields, "gpu"),
            .benchmark = dom::field<std::string>(fields, "benchmark"),
            .parameters = parameters_in(fields, "parameters"),
            .bytes = whole_or_nothing(fields, "bytes"),
            .gpus = dom::field<std::int64_t>(fields, "gpus"),
            .per_second = per_second_of(fields),
            .counts = rate_of(fields),
            .by = dom::field<std::string>(source, "by"),
            .date = text_or_nothing(source, "date"),
            .address = dom::field<std::string>(source, "address")};
}

}  // namespace

Expected<Published> published_numbers(std::string_view text) {
    return dom::parsed<Published>(text, [](const Fields& file) {
        Published published;
        for (const auto& one : list_in(file, "quantities")) published.quantities.push_back(quantity_of(one));
        for (const auto& one : list_in(file, "sources")) {
            const auto source = object_in(one, "sources");
            for (const auto& number : list_in(source, "numbers"))
                published.numbers.push_back(published_number(number, source));
        }
        return published;
    });
}

}  // namespace tocuda
