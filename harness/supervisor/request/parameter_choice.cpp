// tocuda, Apache-2.0.
#include "request/parameter_choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "model/parameter_values.hpp"
#include "model/words.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::string_view size_parameter = "bytes";
constexpr std::int64_t smallest_power = 4;

Expected<ParameterChoice::Part> part_of(const std::string& text, bool amounts) {
    const auto dots = text.find("..");
    ParameterChoice::Part part{text.substr(0, dots), dots == std::string::npos ? "" : text.substr(dots + 2)};
    if (part.from.empty() || (dots != std::string::npos && part.to.empty()))
        return problem("a value is missing; expected KEY=VALUE, KEY=A,B or KEY=A..B");
    if (!amounts) return part;
    const auto from = amount_of(part.from);
    if (!from) return problem(from.error());
    if (part.to.empty()) return part;
    const auto to = amount_of(part.to);
    if (!to) return problem(to.error());
    if (*from > *to) return problem("the range ends before it begins");
    return part;
}

void add(Values& values, const Value& value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

// Parses a word as a value of the same type as `kind`.
Expected<Value> read_as(const Value& kind, const std::string& word) {
    if (std::holds_alternative<std::int64_t>(kind.held)) {
        const auto amount = amount_of(word);
        if (!amount) return problem(amount.error());
        return Value(*amount);
    }
    if (std::holds_alternative<double>(kind.held)) {
        double number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error == std::errc{} && end == word.data() + word.size()) return Value(number);
        return problem(fmt::format("'{}' is not a number", word));
    }
    if (std::holds_alternative<bool>(kind.held)) {
        if (word == "true" || word == "false") return Value(word == "true");
        return problem(fmt::format("'{}' is neither true nor false", word));
    }
    return Value(word);
}

double number_of(const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value.held)) return static_cast<double>(*integer);
    const auto* number = std::get_if<double>(&value.held);
    return number ? *number : 0;
}

// Adds the allowed values of a sweep between two ends, in ascending order.
void add_range(const ParameterChoice& choice, const Value& low, const Value& high, const Benchmark& benchmark,
               const Values& sweep, Values& values) {
    std::set<std::pair<double, std::string>> between;
    Values found;
    const auto take = [&](const Value& value) {
        const auto number = number_of(value);
        if (number >= number_of(low) && number <= number_of(high) && between.emplace(number, plain(value)).second)
            found.push_back(value);
    };
    for (const auto& value : sweep) take(value);
    if (choice.name == size_parameter)
        for (std::int64_t power = smallest_power; power <= std::int64_t{1} << 40; power *= 4) take(power);
    std::sort(found.begin(), found.end(),
              [](const Value& left, const Value& right) { return number_of(left) < number_of(right); });
    for (const auto& value : found)
        if (why_not_allowed(benchmark, choice.name, value).empty()) add(values, value);
}

std::string add_part(const ParameterChoice& choice, const ParameterChoice::Part& part, const Benchmark& benchmark,
                     const Values& known, const Values& sweep, Values& values) {
    const auto& kind = known.front();
    const auto from = read_as(kind, part.from);
    if (!from) return from.error().what;
    if (choice.name == size_parameter && number_of(*from) == 0) return "there is nothing to measure in 0 bytes";
    const bool is_word = std::holds_alternative<std::string>(kind.held);
    if (part.to.empty()) {
        if (why_not_allowed(benchmark, choice.name, *from).empty()) add(values, *from);
        return "";
    }
    if (is_word || std::holds_alternative<bool>(kind.held))
        return fmt::format("'{}' has no range: its values are words", choice.name);
    const auto to = read_as(kind, part.to);
    if (!to) return to.error().what;
    if (number_of(*from) > number_of(*to)) return "the range ends before it begins";
    add_range(choice, *from, *to, benchmark, choice.name == size_parameter ? sweep : known, values);
    return "";
}

}  // namespace

Expected<ParameterChoice> parameter_choice(const std::string& word) {
    const auto sign = word.find('=');
    ParameterChoice choice{word, word.substr(0, sign), {}};
    if (sign == std::string::npos || choice.name.empty()) return problem(fmt::format("'{}' is not KEY=VALUE", word));
    for (const auto& text : parts_of(word.substr(sign + 1), ',')) {
        const auto part = part_of(text, choice.name == size_parameter);
        if (!part) return problem(fmt::format("{}: {}", word, part.error().what));
        choice.parts.push_back(*part);
    }
    return choice;
}

Expected<Values> values_of(const ParameterChoice& choice, const Benchmark& benchmark, const Values& sweep) {
    const auto known = known_values(benchmark, choice.name);
    if (known.empty()) return Values{};
    Values values;
    for (const auto& part : choice.parts)
        if (const auto wrong = add_part(choice, part, benchmark, known, sweep, values); !wrong.empty())
            return problem(fmt::format("{}: {}", choice.word, wrong));
    return values;
}

std::string why_not_allowed(const ParameterChoice& choice, const Benchmark& benchmark) {
    const auto known = known_values(benchmark, choice.name);
    if (known.empty() || !choice.parts.front().to.empty()) return "";
    const auto value = read_as(known.front(), choice.parts.front().from);
    return value && !std::holds_alternative<std::string>(value->held) ? why_not_allowed(benchmark, choice.name, *value)
                                                                      : "";
}

}  // namespace tocuda
