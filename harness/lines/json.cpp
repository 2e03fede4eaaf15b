// tocuda, Apache-2.0.
#include "lines/json.hpp"

namespace tocuda::json {
namespace {

struct ToJson {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool value) const { return value; }
    Json operator()(std::int64_t value) const { return value; }
    Json operator()(double value) const { return value; }
    Json operator()(const std::string& value) const { return value; }
    Json operator()(const Values& values) const {
        auto list = Json::array();
        for (const auto& value : values) list.push_back(from_value(value));
        return list;
    }
};

}  // namespace

Json object(std::string_view line) {
    if (nests_too_deeply(line)) throw Malformed("nested too deeply");
    auto parsed = Json::parse(line.begin(), line.end(), nullptr, false);
    if (parsed.is_discarded()) throw Malformed("not JSON");
    if (!parsed.is_object()) throw Malformed("not a JSON object");
    return parsed;
}

std::string text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string pretty(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace); }

Json from_value(const Value& value) { return std::visit(ToJson{}, value.held); }

Value to_value(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_integer()) {
        if (!fits<std::int64_t>(value)) throw Malformed("a value is out of range");
        return value.get<std::int64_t>();
    }
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) throw Malformed("a value is an object");
    Values values;
    for (const auto& element : value) values.push_back(to_value(element));
    return values;
}

bool nests_too_deeply(std::string_view text) {
    constexpr int deepest = 64;
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        else if (quoted && c == '\\') ++i;
        else if (!quoted && (c == '[' || c == '{') && ++depth > deepest) return true;
        else if (!quoted && (c == ']' || c == '}')) --depth;
    }
    return false;
}

}  // namespace tocuda::json
