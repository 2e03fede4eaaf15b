// tocuda, Apache-2.0.
#include "model/parameter_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "model/words.hpp"

namespace tocuda {
namespace {

const Allowed& allowed_for(const Benchmark& benchmark, const std::string& parameter) {
    static const Allowed any;
    const auto found = benchmark.allowed.find(parameter);
    return found == benchmark.allowed.end() ? any : found->second;
}

bool is_word(const Value& value) { return std::holds_alternative<std::string>(value.held); }

}  // namespace

Values known_values(const Benchmark& benchmark, const std::string& parameter) {
    Values known;
    const auto add = [&](const Value& value) {
        if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
    };
    for (const auto* sweep : {&benchmark.parameters, &benchmark.quick, &benchmark.full}) {
        const auto found = sweep->find(parameter);
        if (found != sweep->end()) std::ranges::for_each(found->second, add);
    }
    for (const auto& value : allowed_for(benchmark, parameter).only)
        if (is_word(value)) add(value);
    return known;
}

std::string why_not_allowed(const Benchmark& benchmark, const std::string& parameter, const Value& value) {
    if (is_word(value)) return why_not_among(parameter, value, known_values(benchmark, parameter));
    const auto* number = std::get_if<std::int64_t>(&value.held);
    return number ? why_not_allowed(parameter, *number, allowed_for(benchmark, parameter)) : "";
}

namespace {

// Returns the fewest digits that read back as the same number, on every machine and in every locale.
template <class Number>
std::string digits(Number number) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

struct Plain {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return digits(value); }
    std::string operator()(double value) const { return digits(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Values& values) const {
        return joined(values, ",", [](const auto& value) { return plain(value); });
    }
};

// Infinite for a word.
double number_of(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size() && !std::isnan(number);
    return is_number ? number : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string plain(const Value& value) { return std::visit(Plain{}, value.held); }

std::string plain(const Parameters& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) {
        if (!text.empty()) text += ' ';
        text.append(name).append("=").append(plain(value));
    }
    return text;
}

bool ByValue::operator()(const std::string& left, const std::string& right) const {
    return std::tuple(number_of(left), left) < std::tuple(number_of(right), right);
}

}  // namespace tocuda
