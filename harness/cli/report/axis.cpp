// tocuda, Apache-2.0.
// Scales, their ticks, and the text at these.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/chart.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr double far_apart = 50;  // a linear axis would hide the smallest value

// A damaged file may hold any times: an axis without a length, or without end, has no ticks.
bool is_usable(const Scale& scale) {
    return std::isfinite(scale.low) && std::isfinite(scale.high) && scale.high > scale.low &&
           (!scale.logarithmic || scale.low > 0);
}

std::string shortest(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

double Scale::share(double value) const {
    if (!is_usable(*this) || !std::isfinite(value)) return 0;
    if (!logarithmic) return (value - low) / (high - low);
    return std::log(std::max(value, low) / low) / std::log(high / low);
}

std::vector<double> ticks_of(const Scale& scale, int most) {
    std::vector<double> ticks;
    if (!is_usable(scale)) return ticks;
    if (scale.logarithmic) {
        const int first = static_cast<int>(std::ceil(std::log10(scale.low) - 1e-9));
        const int last = static_cast<int>(std::floor(std::log10(scale.high) + 1e-9));
        const int step = std::max(1, (last - first) / most + 1);
        std::vector<double> powers;
        for (int power = first - 1; power <= last; power += step)
            for (const double factor : {1.0, 2.0, 5.0})
                if (const double tick = factor * std::pow(10, power); tick >= scale.low && tick <= scale.high) {
                    ticks.push_back(tick);
                    if (factor == 1) powers.push_back(tick);
                }
        return last - first < 2 && ticks.size() <= static_cast<std::size_t>(most) + 1 ? ticks : powers;
    }
    const double rough = (scale.high - scale.low) / most;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0})
        if (factor * power >= rough) step = factor * power;
    const auto first = static_cast<int>(std::ceil(scale.low / step - 1e-9));
    const auto last = static_cast<int>(std::floor(scale.high / step + 1e-9));
    for (int number = first; number <= last; ++number) ticks.push_back(step * number);
    return ticks;
}

std::vector<double> size_ticks(const Scale& scale, int most) {
    if (!is_usable(scale)) return {};
    const int first = static_cast<int>(std::ceil(std::log2(scale.low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(scale.high) + 1e-9));
    const int step = std::max(1, (last - first + most - 2) / (most - 1));
    std::vector<double> ticks;
    for (int power = first; power <= last; power += step) ticks.push_back(std::exp2(power));
    return ticks;
}

Scale scale_for(const std::vector<double>& values) {
    if (values.empty()) return {};
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*least > 0 && *most / *least > far_apart) return {*least / 1.4, *most * 1.3, true};
    return {0, *most > 0 ? *most * 1.05 : 1, false};
}

std::string tick_text(Unit unit, double value) {
    if (value == 0) return "0";
    if (unit == Unit::rate || unit == Unit::operations) return shortest(value / 1e9);
    if (unit == Unit::bytes) return exact_amount(std::llround(value));
    if (unit == Unit::percent) return fmt::format("{:+.4g} %", 100 * value);
    if (unit != Unit::seconds) return shortest(value);
    constexpr std::array<std::string_view, 4> names{"s", "ms", "us", "ns"};
    std::size_t name = 0;
    for (; value < 0.99995 && name + 1 < names.size(); ++name) value *= 1000;
    return fmt::format("{:.3g} {}", value, names.at(name));
}

double half_width(const std::string& text) {
    constexpr double letter = 7;
    return letter / 2 * static_cast<double>(text.size());
}

std::string value_text(Unit unit, double value) {
    if (unit == Unit::rate) return gigabytes_text(value) + " GB/s";
    if (unit == Unit::operations) return gigabytes_text(value) + " Gop/s";
    if (unit == Unit::seconds) return seconds_text(value);
    if (unit == Unit::bytes) return rounded_amount(value);
    if (unit == Unit::ratio) return fmt::format("{:.3f}", value);
    if (unit == Unit::percent) return fmt::format("{:+.2f} %", 100 * value);
    return fmt::format("{:.4g} MiB", value);
}

}  // namespace tocuda::page
