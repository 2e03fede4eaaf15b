// tocuda, Apache-2.0.
#include "lines/dom.hpp"

namespace tocuda::dom {
namespace {

using simdjson::dom::element_type;

constexpr std::size_t deepest = 64;

void refuse_twice(std::string_view name) { throw Malformed("'" + std::string(name) + "' appears twice"); }

// Few keys are compared pairwise, many are sorted.
void refuse_twice(std::vector<std::string_view>& keys) {
    constexpr std::size_t few = 32;
    if (keys.size() > few) {
        std::sort(keys.begin(), keys.end());
        const auto twice = std::adjacent_find(keys.begin(), keys.end());
        if (twice != keys.end()) refuse_twice(*twice);
        return;
    }
    for (std::size_t i = 1; i < keys.size(); ++i)
        if (std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), keys[i]) !=
            keys.begin() + static_cast<std::ptrdiff_t>(i))
            refuse_twice(keys[i]);
}

// The recursion is limited by the parser's maximum depth.
void refuse_twice(const Element& element) {
    simdjson::dom::array array;
    if (element.get(array) == simdjson::SUCCESS) {
        for (const Element one : array) refuse_twice(one);
        return;
    }
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return;
    std::vector<std::string_view> keys;
    for (const auto field : object) {
        keys.push_back(field.key);
        refuse_twice(field.value);
    }
    refuse_twice(keys);
}

std::string wrong_with(simdjson::error_code error) {
    switch (error) {
        case simdjson::DEPTH_ERROR:
            return "nested too deeply";
        case simdjson::UTF8_ERROR:
            return "not JSON: not UTF-8";
        case simdjson::NUMBER_ERROR:
            return "not JSON: invalid or too large number";
        case simdjson::MEMALLOC:
            return "not enough memory for a line of this length";
        default:
            return "not JSON";
    }
}

}  // namespace

void refuse(std::string_view name, const char* what) { throw Malformed("'" + std::string(name) + "' " + what); }

Fields::Fields(simdjson::dom::object object) {
    fields.reserve(24);
    for (const auto field : object) fields.emplace_back(field.key, field.value);
}

const Element* Fields::find(std::string_view name) const {
    for (std::size_t tried = 0; tried < fields.size(); ++tried) {
        const auto& [key, value] = fields[next];
        next = next + 1 == fields.size() ? 0 : next + 1;
        if (key == name) return &value;
    }
    return nullptr;
}

std::optional<Fields> part_or_none(const Fields& fields, std::string_view name) {
    const auto* found = fields.find(name);
    if (!found) return std::nullopt;
    simdjson::dom::object object;
    if (found->get(object) != simdjson::SUCCESS) refuse(name, "is not an object");
    return Fields(object);
}

Fields part(const Fields& fields, std::string_view name) {
    auto found = part_or_none(fields, name);
    if (!found) refuse(name, "is not an object");
    return std::move(*found);
}

simdjson::dom::array list(const Fields& fields, std::string_view name) {
    const auto* found = fields.find(name);
    simdjson::dom::array array;
    if (!found || found->get(array) != simdjson::SUCCESS) refuse(name, "is not a list");
    return array;
}

std::vector<std::string> words_or_none(const Fields& fields, std::string_view name) {
    std::vector<std::string> words;
    if (!fields.find(name)) return words;
    for (const Element element : list(fields, name)) {
        std::string_view word;
        if (element.get(word) != simdjson::SUCCESS) refuse(name, "contains something other than text");
        words.push_back(visible(word));
    }
    return words;
}

Value to_value(const Element& element) {
    switch (element.type()) {
        case element_type::NULL_VALUE:
            return {};
        case element_type::BOOL:
            return as<bool>(element, "a value");
        case element_type::INT64:
        case element_type::UINT64:
            return as<std::int64_t>(element, "a value");
        case element_type::DOUBLE:
            return as<double>(element, "a value");
        case element_type::STRING:
            return as<std::string>(element, "a value");
        case element_type::OBJECT:
            throw Malformed("a value is an object");
        case element_type::ARRAY:
            break;
    }
    Values values;
    for (const Element one : simdjson::dom::array(element)) values.push_back(to_value(one));
    return values;
}

Fields parsed_object(simdjson::dom::parser& parser, std::string_view padded) {
    // Allocate half as many bytes again, because the next line may be a little longer.
    if ((parser.max_depth() != deepest || parser.capacity() < padded.size()) &&
        parser.allocate(std::max<std::size_t>(padded.size() + padded.size() / 2, 1024), deepest) != simdjson::SUCCESS)
        throw Malformed(wrong_with(simdjson::MEMALLOC));
    Element element;
    const auto error = parser.parse(padded.data(), padded.size(), false).get(element);
    if (error != simdjson::SUCCESS) throw Malformed(wrong_with(error));
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) throw Malformed("not a JSON object");
    refuse_twice(element);
    return Fields(object);
}

}  // namespace tocuda::dom
