// tocuda, Apache-2.0.
#include "execution/bench_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/forecast.hpp"
#include "statistics/order_statistics.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr double minute = 60;
constexpr double hour = 3600;

// Rounded as coarsely as an estimate deserves.
std::string duration(double seconds) {
    if (seconds < 1.5 * minute) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < 2 * hour) return counted(std::lround(seconds / minute), "minute");
    return counted(std::lround(seconds / hour), "hour");
}

// A limit that somebody gave is not rounded.
std::string exact_duration(double seconds) {
    const bool is_round = seconds >= 2 * minute && std::fmod(seconds, seconds < 2 * hour ? minute : hour) == 0;
    return is_round ? duration(seconds) : fmt::format("{:g} s", seconds);
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

std::string forecast_text(const Forecast& forecast, double budget_seconds, std::size_t left_out, bool quick) {
    const bool is_too_long = budget_seconds > 0 && forecast.seconds > budget_seconds;
    auto text = fmt::format("{} with {}: {} of each {} about {}",
                            counted(static_cast<std::int64_t>(forecast.benchmarks), "benchmark"),
                            counted(static_cast<std::int64_t>(forecast.sets), "parameter set"),
                            forecast.least == 1 ? "1 process" : fmt::format("{} processes", forecast.least),
                            is_too_long ? "would take" : "in", duration(forecast.seconds));
    if (is_too_long) {
        text += fmt::format("; the time is limited to {}, enough for ", exact_duration(budget_seconds));
        text += forecast.sets_in_time > 0 ? fmt::format("about {} of the sets", forecast.sets_in_time) : "none of them";
    } else {
        if (forecast.may_take_more) text += ", then more until its interval is narrow";
        text += budget_seconds > 0 ? fmt::format(", at most {}", exact_duration(budget_seconds)) : ", no time limit";
    }
    if (left_out > 0) {
        const auto benchmarks = counted(static_cast<std::int64_t>(left_out), "benchmark");
        text += quick ? fmt::format("; --quick leaves out {} not named in full", benchmarks)
                      : fmt::format("; {} only by name or with --full", benchmarks);
    }
    return text;
}

std::string cut_short_text(const std::vector<CutShort>& cut, std::size_t sets, int least, double budget_seconds,
                           const std::string& file) {
    if (cut.empty()) return "";
    const auto unreached =
        std::count_if(cut.begin(), cut.end(), [](const CutShort& one) { return one.processes == 0; });
    const auto few = std::ssize(cut) - unreached;
    auto text = fmt::format("the time budget of {:g} s is too short: ", budget_seconds);
    const auto of = [&](std::ptrdiff_t count) {
        return fmt::format("{} of {}", count, counted(static_cast<std::int64_t>(sets), "parameter set"));
    };
    if (unreached > 0) text += of(unreached) + (unreached == 1 ? " is missing" : " are missing");
    if (unreached > 0 && few > 0) text += ", and ";
    if (few > 0)
        text += fmt::format("{} {} fewer than {} processes", unreached > 0 ? std::to_string(few) : of(few),
                            few == 1 ? "has" : "have", least);
    return text + (file.empty() ? "; increase --budget to measure them"
                                : "; measure them with `tocuda bench --resume " + file + "`");
}

std::string cut_short_check(const CutShort& cut, int least, double budget_seconds) {
    const bool is_new = cut.processes == 0;
    const auto measured = fmt::format("after {} of {} processes", cut.processes, least);
    if (cut.left <= 0)
        return fmt::format("{}: {:g} s ran out {}", budget_word, budget_seconds,
                           is_new ? "before this parameter set was reached" : measured);
    return fmt::format("{}: {}: {} about {}, and {} of {:g} s were left", budget_word,
                       is_new ? "not started" : "stopped " + measured,
                       is_new ? "its benchmark takes" : "what is missing of its benchmark takes", duration(cut.needed),
                       cut.left < 1 ? "less than 1 s" : fmt::format("{:.0f} s", std::floor(cut.left)), budget_seconds);
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
    auto text = row_words(row.benchmark, row.samples.parameters);
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
