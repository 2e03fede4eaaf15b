// tocuda, Apache-2.0.
#include "tables/bench_marks.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/cut_for_time.hpp"
#include "tables/best_choice.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr auto few_processes = "budget: the time ran out before the row had as many processes as the protocol requires";

char mark_for(std::vector<std::string>& known, const std::string& words, char first) {
    const auto found = std::find(known.begin(), known.end(), words);
    const auto number = static_cast<int>(found - known.begin());
    if (found == known.end()) known.push_back(words);
    return number < 26 ? static_cast<char>(first + number) : '*';
}

std::string explained(const std::vector<std::string>& known, char first, const Paper& paper) {
    std::string text;
    for (int number = 0; number < static_cast<int>(known.size()); ++number)
        text += fmt::format("  {}  {}\n", number < 26 ? static_cast<char>(first + number) : '*',
                            wrap(known[static_cast<std::size_t>(number)], 5, 5, paper.columns()));
    return text;
}

}  // namespace

std::string BenchMarks::peak_of(const RowSummary& row) {
    if (row.peak.bytes_per_second <= 0) return "-";
    const bool one_way = counted_by(row.peak, row.benchmark, !row.peer.empty()) == Counted::one_way;
    const auto mark = mark_for(peaks,
                               fmt::format("{} GB/s {}: {}", gigabytes_text(row.peak.bytes_per_second),
                                           one_way ? "one way" : "touched", row.peak.source),
                               'A');
    return row.percent_of_peak
               ? fmt::format("{:.{}f} {}", *row.percent_of_peak, *row.percent_of_peak < 99.95 ? 1 : 0, mark)
               : "-";
}

std::string BenchMarks::flags_of(const RowSummary& row) {
    std::string marks;
    for (const auto& flag : row.flags)
        if (!names_a_choice(flag)) marks += mark_for(flags, flag == budget_word ? few_processes : flag, 'a');
    const bool cut = std::find(row.flags.begin(), row.flags.end(), budget_word) != row.flags.end();
    if (row.stopped == "budget" && !cut)
        marks += mark_for(flags, "the time ran out before the interval was within +-0.5 %", 'a');
    if (row.stopped == "processes")
        marks += mark_for(flags, "the interval is still wider than +-0.5 % after the maximum number of processes", 'a');
    std::sort(marks.begin(), marks.end());
    return marks;
}

std::string BenchMarks::peaks_text(const Paper& paper) const {
    return peaks.empty() ? "" : "peaks\n" + explained(peaks, 'A', paper);
}

std::string BenchMarks::flags_text(const Paper& paper) const { return explained(flags, 'a', paper); }

}  // namespace tocuda
