// tocuda, Apache-2.0.
// Counts and times to sentences.
#include "command/bench_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "command/quantities.hpp"
#include "model/cut_for_time.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

// As rough as an estimate is.
std::string duration(double seconds) {
    constexpr double minute = 60;
    constexpr double hour = 3600;
    if (seconds < 1.5 * minute) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < 2 * hour) return counted(std::lround(seconds / minute), "minute");
    return counted(std::lround(seconds / hour), "hour");
}

}  // namespace

std::string forecast_text(const Forecast& forecast, double budget_seconds, std::size_t left_out) {
    auto text = fmt::format("{} with {}, at least {}: about {} by estimate",
                            counted(static_cast<std::int64_t>(forecast.benchmarks), "benchmark"),
                            counted(static_cast<std::int64_t>(forecast.sets), "parameter set"),
                            forecast.processes == 1 ? "1 process" : fmt::format("{} processes", forecast.processes),
                            duration(forecast.seconds));
    text += budget_seconds > 0 ? fmt::format(", and no longer than {}", duration(budget_seconds)) : ", without a limit";
    if (left_out > 0)
        text +=
            fmt::format("; {} more by --full or by name", counted(static_cast<std::int64_t>(left_out), "benchmark"));
    return text;
}

std::string cut_short_text(const std::vector<CutShort>& cut, int least, double budget_seconds,
                           const std::string& file) {
    if (cut.empty()) return "";
    const auto unreached =
        std::count_if(cut.begin(), cut.end(), [](const CutShort& one) { return one.processes == 0; });
    const auto few = std::ssize(cut) - unreached;
    auto text = fmt::format("the time was spent ({:g} s): ", budget_seconds);
    if (unreached > 0)
        text += counted(unreached, "parameter set") + (unreached == 1 ? " was not reached" : " were not reached");
    if (unreached > 0 && few > 0) text += ", and ";
    if (few > 0)
        text += fmt::format("{} fewer than {} processes", counted(few, "parameter set") + (few == 1 ? " has" : " have"),
                            least);
    return text + (file.empty() ? "; a larger --budget measures them"
                                : "; `tocuda bench --resume " + file + "` measures them");
}

std::string cut_short_check(const CutShort& cut, int least, double budget_seconds) {
    const auto when = cut.processes == 0 ? std::string("before it was reached")
                                         : fmt::format("after {} of {} processes", cut.processes, least);
    return fmt::format("{}: {:g} s were spent {}", budget_word, budget_seconds, when);
}

std::string one_line(const MeasurementRow& row) {
    auto text = row.benchmark + (row.samples.parameters.empty() ? "" : " ") + named_values(row.samples.parameters);
    if (row.samples.seconds.empty()) return text;
    const auto seconds = median(row.samples.seconds);
    text += ": " + seconds_text(seconds);
    if (row.samples.bytes_one_way <= 0 || seconds <= 0) return text;
    return text + ", " + gigabytes_text(static_cast<double>(row.samples.bytes_one_way) / seconds) + " GB/s";
}

}  // namespace tocuda
