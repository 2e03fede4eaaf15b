// tocuda, Apache-2.0.
#include "terminal/quantities.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/nearest.hpp"
#include "model/parameter_values.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

struct Unit {
    std::string_view name;
    int bits;
};
constexpr std::array<Unit, 5> units{{{"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}}};
constexpr double largest_amount = 1e18;

Expected<std::int64_t> no_amount(std::string_view text, std::string_view number) {
    constexpr std::array<std::string_view, 2> larger{"PiB", "EiB"};
    if (!number.empty() && std::ranges::find(larger, text.substr(number.size())) != larger.end())
        return problem(fmt::format("'{}' is too large", text));
    std::vector<std::string> meant;
    for (const auto& unit : units)
        if (unit.bits > 0) meant.push_back(std::string(number) + std::string(unit.name));
    meant.push_back(std::string(number) + "B");  // last: of equally near units the first, a larger one, is suggested
    const auto near = number.empty() || number[0] == '-' ? "" : suggestion(text, meant);
    return problem(fmt::format("'{}' is not an amount; use a form like 4096, 4KiB, 64MiB or 1.5GiB{}", text, near));
}

}  // namespace

std::string four_digits(double value) {
    const auto before = value >= 999.95 ? 4 : value >= 99.995 ? 3 : value >= 9.9995 ? 2 : 1;
    return fmt::format("{:.{}f}", value, 4 - before);
}

Expected<std::int64_t> amount_of(std::string_view text) {
    const auto digits = std::min(text.find_first_not_of("0123456789.-"), text.size());
    const auto number = text.substr(0, digits);
    const auto word = digits == text.size() ? "B" : text.substr(digits);
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& one) { return one.name == word; });
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (unit == units.end() || error != std::errc{} || end != number.data() + number.size())
        return no_amount(text, number);
    if (value < 0 || std::signbit(value)) return problem(fmt::format("'{}' is below zero", text));
    const auto bytes = std::ldexp(value, unit->bits);
    if (bytes > largest_amount) return problem(fmt::format("'{}' is too large", text));
    if (bytes != std::floor(bytes))  // a number without a unit may count anything
        return problem(fmt::format("'{}' is not a whole number{}", text, digits == text.size() ? "" : " of bytes"));
    return static_cast<std::int64_t>(bytes);
}

std::string exact_amount(std::int64_t bytes) {
    auto unit = units.size() - 1;
    while (unit > 0 && (bytes == 0 || bytes % (std::int64_t{1} << units.at(unit).bits) != 0)) --unit;
    return fmt::format("{} {}", bytes >> units.at(unit).bits, units.at(unit).name);
}

std::string rounded_amount(double bytes) {
    std::size_t unit = 0;
    for (; bytes >= 1023.5 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return fmt::format("{:.{}f} {}", bytes, bytes < 10 && unit > 0 ? 1 : 0, units.at(unit).name);
}

std::string amount_to_mib(std::int64_t bytes) {
    const auto mib = static_cast<double>(bytes) / (1 << 20);
    return std::abs(mib) < 10240 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

std::string seconds_text(double seconds) {
    constexpr std::array<std::string_view, 4> names{"s", "ms", "us", "ns"};
    std::size_t unit = 0;
    for (; seconds < 0.99995 && unit + 1 < names.size(); ++unit) seconds *= 1000;
    return four_digits(seconds) + " " + std::string(names.at(unit));
}

std::string gigabytes_text(double per_second) {
    const auto value = per_second / 1e9;
    return value > 0 && value < 0.0005 ? fmt::format("{:.1e}", value) : four_digits(value);
}

std::string counted(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string percent_text(double part) {
    const auto percent = 100 * part;
    return fmt::format("{:.{}f} %", percent, percent < 0.1 ? 2 : percent < 99.95 ? 1 : 0);
}

std::string value_text(const std::string& parameter, const Value& value) {
    const auto* number = std::get_if<std::int64_t>(&value.held);
    return parameter == "bytes" && number ? exact_amount(*number) : plain(value);
}

std::string size_text(const Parameters& parameters) {
    const auto bytes = parameters.find("bytes");
    return bytes == parameters.end() ? "" : value_text("bytes", bytes->second);
}

std::string named_value(const std::string& parameter, const Value& value) {
    return (parameter == "bytes" ? "" : parameter + "=") + value_text(parameter, value);
}

std::string named_values(const Parameters& parameters) {
    return joined(parameters, " ", [](const auto& one) { return named_value(one.first, one.second); });
}

std::string row_words(const std::string& benchmark, const Parameters& parameters) {
    return benchmark + (parameters.empty() ? "" : " ") + named_values(parameters);
}

}  // namespace tocuda
