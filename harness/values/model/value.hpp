// tocuda, Apache-2.0.
// A value of evidence: exactly what JSON can represent.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tocuda {

struct Value;
using Values = std::vector<Value>;

struct Value {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Values> held;

    Value() = default;
    Value(bool value) : held(value) {}
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    Value(Integer value) : held(static_cast<std::int64_t>(value)) {}
    Value(double value) : held(value) {}
    Value(std::string value) : held(std::move(value)) {}
    Value(std::string_view value) : held(std::string(value)) {}
    Value(const char* value) : held(std::string(value)) {}
    Value(Values value) : held(std::move(value)) {}

    bool operator==(const Value&) const = default;
};

}  // namespace tocuda
