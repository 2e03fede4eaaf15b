// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>

#include "statistics/order_statistics.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

// Returns the median of a reading over these seconds; nullopt if one of them lacks it.
std::optional<int> clock_in(std::span<const Telemetry> course) {
    std::vector<double> clocks;
    for (const auto& second : course) {
        if (!second.sm_clock_mhz) return std::nullopt;
        clocks.push_back(*second.sm_clock_mhz);
    }
    return static_cast<int>(std::lround(median(clocks)));
}

std::string percent(double part) {
    std::string text(32, '\0');
    const auto size = std::snprintf(text.data(), text.size(), "%.1f %%", 100 * part);
    text.resize(static_cast<std::size_t>(std::max(size, 0)));
    return text;
}

}  // namespace

std::string holding(const Samples& samples) {
    const auto& seconds = samples.seconds;
    if (samples.course.size() != seconds.size() || seconds.size() < 2 * seconds_compared) return "";
    const std::span all(seconds);
    const std::span course(samples.course);
    const auto first = 1 / median(all.first(seconds_compared));
    const auto last = 1 / median(all.last(seconds_compared));
    const auto change = last / first - 1;
    const auto compared = fmt::format("{} s", seconds_compared);
    if (std::abs(change) < least_change_of_speed)
        return "held its speed: the last " + compared + " are within " + percent(least_change_of_speed) +
               " of the first " + compared;
    auto text = std::string(change < 0 ? "slower" : "faster") + " at the end: the last " + compared + " are " +
                percent(std::abs(change)) + (change < 0 ? " below" : " above") + " the first " + compared;
    const auto before = clock_in(course.first(seconds_compared));
    const auto after = clock_in(course.last(seconds_compared));
    if (before && after) text += fmt::format("; SM clock {} to {} MHz", *before, *after);
    return text;
}

std::vector<CourseSecond> course_of(const Samples& samples) {
    std::vector<CourseSecond> course;
    for (std::size_t i = 0; i < std::min(samples.course.size(), samples.seconds.size()); ++i) {
        const auto& seen = samples.course[i];
        course.push_back({samples.seconds[i], seen.sm_clock_mhz, seen.power_w, seen.temperature_c});
    }
    return course;
}

}  // namespace tocuda
