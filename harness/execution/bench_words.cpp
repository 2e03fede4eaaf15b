// tocuda, Apache-2.0.
#include "execution/bench_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/cut_for_time.hpp"
#include "statistics/order_statistics.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

// Rounded as coarsely as an estimate deserves.
std::string duration(double seconds) {
    constexpr double minute = 60;
    constexpr double hour = 3600;
    if (seconds < 1.5 * minute) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < 2 * hour) return counted(std::lround(seconds / minute), "minute");
    return counted(std::lround(seconds / hour), "hour");
}

// The estimated time of the rounds that each row gets; after those, what is left of the budget.
std::string left_text(const BenchRounds& rounds, double elapsed) {
    const double of_rounds = rounds.forecast().seconds;
    const double of_budget = rounds.limit_seconds() - elapsed;
    if (rounds.limit_seconds() <= 0) return of_rounds > 0 ? ", about " + duration(of_rounds) + " left" : "";
    if (of_budget <= 0) return ", the time is up";
    return (of_rounds > 0 && of_rounds < of_budget ? ", about " : ", at most ") +
           duration(of_rounds > 0 ? std::min(of_rounds, of_budget) : of_budget) + " left";
}

}  // namespace

std::string forecast_text(const Forecast& forecast, double budget_seconds, std::size_t left_out) {
    auto text = fmt::format(
        "{} with {}: {} of each in about {}{}", counted(static_cast<std::int64_t>(forecast.benchmarks), "benchmark"),
        counted(static_cast<std::int64_t>(forecast.sets), "parameter set"),
        forecast.least == 1 ? "1 process" : fmt::format("{} processes", forecast.least), duration(forecast.seconds),
        forecast.may_take_more ? ", then more until its interval is narrow" : "");
    text += budget_seconds > 0 ? fmt::format(", at most {}", duration(budget_seconds)) : ", no time limit";
    if (left_out > 0)
        text +=
            fmt::format("; {} only by name or with --full", counted(static_cast<std::int64_t>(left_out), "benchmark"));
    return text;
}

std::string cut_short_text(const std::vector<CutShort>& cut, int least, double budget_seconds,
                           const std::string& file) {
    if (cut.empty()) return "";
    const auto unreached =
        std::count_if(cut.begin(), cut.end(), [](const CutShort& one) { return one.processes == 0; });
    const auto few = std::ssize(cut) - unreached;
    auto text = fmt::format("the time budget of {:g} s is too short: ", budget_seconds);
    if (unreached > 0)
        text += counted(unreached, "parameter set") + (unreached == 1 ? " was not reached" : " were not reached");
    if (unreached > 0 && few > 0) text += ", and ";
    if (few > 0)
        text += fmt::format("{} fewer than {} processes", counted(few, "parameter set") + (few == 1 ? " has" : " have"),
                            least);
    return text + (file.empty() ? "; increase --budget to measure them"
                                : "; measure them with `tocuda bench --resume " + file + "`");
}

std::string cut_short_check(const CutShort& cut, int least, double budget_seconds) {
    const auto when = cut.processes == 0 ? std::string("before this parameter set was reached")
                                         : fmt::format("after {} of {} processes", cut.processes, least);
    return fmt::format("{}: {:g} s ran out {}", budget_word, budget_seconds, when);
}

std::string progress_text(const BenchRounds& rounds, int done, int in_round, double seconds,
                          const std::string& latest) {
    constexpr std::size_t room = 70;
    const auto left = left_text(rounds, seconds);
    const auto of = rounds.round() <= rounds.least() ? fmt::format("/{}", rounds.least()) : "";
    auto text = fmt::format("{}{}round {}{}, {}/{} done, {:.0f} s{}", rounds.group(), rounds.group().empty() ? "" : " ",
                            rounds.round(), of, done, in_round, seconds, left);
    if (latest.empty()) return text;
    const auto too_long = text.size() + 2 + latest.size() > room ? text.size() + 2 + latest.size() - room : 0;
    return text + "; " + (too_long == 0 ? latest : ".." + latest.substr(std::min(too_long + 2, latest.size())));
}

std::string one_line(const MeasurementRow& row) {
    auto text = row.benchmark + (row.samples.parameters.empty() ? "" : " ") + named_values(row.samples.parameters);
    if (row.samples.seconds.empty()) return text;
    const auto seconds = median(row.samples.seconds);
    text += ": " + seconds_text(seconds);
    if (seconds <= 0) return text;
    if (row.samples.items > 0)
        return text + ", " + gigabytes_text(static_cast<double>(row.samples.items) / seconds) + " Gop/s";
    if (row.samples.bytes_one_way <= 0) return text;
    return text + ", " + gigabytes_text(static_cast<double>(row.samples.bytes_one_way) / seconds) + " GB/s";
}

}  // namespace tocuda
