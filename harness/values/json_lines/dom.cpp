// tocuda, Apache-2.0.
#include "json_lines/dom.hpp"

#include <algorithm>
#include <bitset>

#include "json_lines/model_fields.hpp"

namespace tocuda::dom {
namespace {

using simdjson::dom::element_type;

constexpr std::size_t deepest = 64;

void refuse_twice(std::string_view name) { throw Malformed("'" + std::string(name) + "' appears twice"); }

// Only keys that look like another one are compared, and many are sorted.
void refuse_twice(const simdjson::dom::object& object) {
    constexpr std::size_t few = 32;
    std::bitset<256> seen;
    std::vector<std::string_view> keys;
    keys.reserve(few);
    for (const auto field : object) {
        const auto key = field.key;
        const std::size_t first = key.empty() ? 0U : static_cast<unsigned char>(key.front());
        const std::size_t last = key.empty() ? 0U : static_cast<unsigned char>(key.back());
        const auto look = (first * 37 + last * 11 + key.size()) % seen.size();
        if (keys.size() < few && seen[look] && std::ranges::find(keys, key) != keys.end()) refuse_twice(key);
        seen.set(look);
        keys.push_back(key);
    }
    if (keys.size() <= few) return;
    std::ranges::sort(keys);
    if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end()) refuse_twice(*twice);
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
    for (const auto field : object) refuse_twice(field.value);
    refuse_twice(object);
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

void refuse_control_characters(std::string_view text, std::string_view name) {
    if (has_control_characters(text)) refuse(name, "contains a control character");
}

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

std::string to_text(const Element& element, std::string_view name, As how) {
    const auto text = as<std::string_view>(element, name);
    if (how == As::name) refuse_control_characters(text, name);
    return how == As::shown ? visible(text) : how == As::lines ? visible_lines(text) : std::string(text);
}

Value to_value(const Element& element, std::string_view name, As how) {
    switch (element.type()) {
        case element_type::NULL_VALUE:
            return {};
        case element_type::BOOL:
            return as<bool>(element, "a value");
        case element_type::INT64:
            return as<std::int64_t>(element, "a value");
        case element_type::UINT64:
            throw Malformed("a value is out of range");
        case element_type::DOUBLE:
            return as<double>(element, "a value");
        case element_type::STRING:
            return to_text(element, name, how);
        case element_type::OBJECT:
            throw Malformed("a value is an object");
        case element_type::ARRAY:
            break;
    }
    Values values;
    for (const Element one : simdjson::dom::array(element)) values.push_back(to_value(one, name, how));
    return values;
}

std::vector<double> to_seconds(const Element& element, std::string_view name) {
    simdjson::dom::array listed;
    if (element.get(listed) != simdjson::SUCCESS) refuse(name, "is not a list");
    std::vector<double> seconds;
    seconds.reserve(listed.size());
    for (const Element sample : listed) {
        double one = 0;
        if (sample.get(one) != simdjson::SUCCESS) throw Malformed("a sample is not a number");
        if (!(one >= 0)) throw Malformed("a sample is negative");
        seconds.push_back(one);
    }
    return seconds;
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

namespace tocuda {
namespace {

static_assert(line_padding >= simdjson::SIMDJSON_PADDING);

template <class Read>
Expected<void> unless_malformed(Read read) {
    try {
        read();
        return {};
    } catch (const dom::Malformed& malformed) {
        return problem(visible(malformed.what()));
    }
}

}  // namespace

struct LineParser::Parsed {
    simdjson::dom::parser parser{};
    std::optional<dom::Fields> fields{};
    std::string_view kind{};
};

LineParser::LineParser() : parsed(std::make_unique<Parsed>()) {}
LineParser::~LineParser() = default;
LineParser::LineParser(LineParser&&) noexcept = default;
LineParser& LineParser::operator=(LineParser&&) noexcept = default;

Expected<void> LineParser::take(std::string_view padded) {
    parsed->fields.reset();
    return unless_malformed([&] {
        parsed->fields = dom::parsed_object(parsed->parser, padded);
        parsed->kind = dom::field<std::string_view>(*parsed->fields, "kind");
        dom::refuse_control_characters(parsed->kind, "kind");
    });
}

std::string_view LineParser::kind() const { return parsed->kind; }

Expected<void> LineParser::to(MeasurementRow& row) const {
    return unless_malformed([&] { row = dom::to<MeasurementRow>(*parsed->fields); });
}

}  // namespace tocuda
