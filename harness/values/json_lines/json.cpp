// tocuda, Apache-2.0.
#include "json_lines/json.hpp"

namespace tocuda::json {
namespace {

struct ToJson {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(const Values& values) const {
        auto list = Json::array();
        for (const auto& value : values) list.push_back(from_value(value));
        return list;
    }
    template <class Type>
    Json operator()(const Type& value) const {
        return value;
    }
};

}  // namespace

std::string text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string pretty(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace); }

Json from_value(const Value& value) { return std::visit(ToJson{}, value.held); }

}  // namespace tocuda::json
