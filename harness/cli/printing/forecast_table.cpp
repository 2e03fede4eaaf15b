// tocuda, Apache-2.0.
#include "printing/forecast_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tocuda {
namespace {

constexpr std::size_t least_width = 9;  // "benchmark"

std::string line(const std::string& name, std::size_t width, const std::string& gpus, const std::string& sets,
                 const std::string& processes, const std::string& seconds) {
    return fmt::format("  {} {:>8} {:>9} {:>9} {:>9}\n", pad(name, width), gpus, sets, processes, seconds);
}

std::string gpus_text(const std::vector<int>& gpus) {
    if (gpus.empty()) return "-";
    const bool are_many = gpus.size() > 3;
    return are_many ? fmt::format("{} GPUs", gpus.size()) : fmt::format("{}", fmt::join(gpus, ","));
}

std::string unit_lines(const UnitForecast& unit, std::size_t width, const Paper& paper) {
    const bool is_whole = unit.sets_in_time == unit.sets;
    auto text = line(unit.benchmark, width, gpus_text(unit.gpus),
                     is_whole ? fmt::format("{}", unit.sets) : fmt::format("{} of {}", unit.sets_in_time, unit.sets),
                     fmt::format("{}", unit.processes), fmt::format("{:.1f}", unit.seconds));
    if (!unit.because.empty()) text += "    " + paper.faint(wrap(unit.because, 4, 4, paper.columns())) + "\n";
    return text;
}

}  // namespace

std::string forecast_table(const Forecast& forecast, const Paper& paper) {
    std::size_t width = least_width;
    for (const auto& unit : forecast.units) width = std::max(width, unit.benchmark.size());
    auto text = line("benchmark", width, "on GPU", "sets", "processes", "seconds");
    std::string group;
    for (const auto& unit : forecast.units) {
        if (unit.group != group) text += paper.strong(group = unit.group) + "\n";
        text += unit_lines(unit, width, paper);
    }
    for (const auto& unit : forecast.skipped)
        text += wrap("skipped: " + unit.benchmark + ": " + unit.because, 0, 2, paper.columns()) + "\n";
    return text;
}

}  // namespace tocuda
