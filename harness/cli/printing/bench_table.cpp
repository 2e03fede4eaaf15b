// tocuda, Apache-2.0.
#include "printing/bench_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/forecast.hpp"
#include "model/words.hpp"
#include "printing/bench_families.hpp"
#include "printing/best_choice.hpp"
#include "printing/flag_words.hpp"
#include "printing/legend.hpp"
#include "printing/pair_matrix.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

std::string what_it_is(const FrameworkTax& tax) {
    return joined(tax.parameters, " ", [](const auto& one) { return named_value(one.first, one.second); });
}

// The letters of the table of `bench`: capitals for peaks, named above the table, and small ones for flags, explained
// below it.
class BenchMarks {
public:
    std::string peak_of(const RowSummary& row);   // "99.8 B"; "-" without a peak
    std::string flags_of(const RowSummary& row);  // "ac"; flags that name a choice have no letter

    std::string peaks_text(const Paper& paper) const;
    std::string flags_text(const Paper& paper) const;

private:
    Legend peaks{'A'};
    Legend flags{'a'};
};

// Whatever ended the row: the processes of others, of another GPU for instance, may have differed.
bool is_narrow(const RowSummary& row) {
    constexpr double half_width = 0.005;
    return is_exact(row) || row.half_width.value_or(1) <= half_width;
}

std::string BenchMarks::peak_of(const RowSummary& row) {
    if (row.peak.bytes_per_second <= 0) return "-";
    const bool one_way = counted_by(row.peak, role_of(row.benchmark), !row.peer.empty()) == Counted::one_way;
    const auto mark = peaks.mark_for(fmt::format("{} GB/s {}: {}", gigabytes_text(row.peak.bytes_per_second),
                                                 one_way ? "of payload" : "touched", row.peak.source));
    return row.percent_of_peak
               ? fmt::format("{:.{}f} {}", *row.percent_of_peak, *row.percent_of_peak < 99.95 ? 1 : 0, mark)
               : "-";
}

std::string BenchMarks::flags_of(const RowSummary& row) {
    std::string marks;
    for (const auto& flag : row.flags)
        if (flag.code != chosen_flag) marks += flags.mark_for(flag_in_words(flag));
    if (row.imported) marks += flags.mark_for("of what the tool printed: " + row.imported->is);
    const bool cut = has_flag(row.flags, budget_word);
    if (row.stopped == "budget" && !cut && !is_narrow(row))
        marks += flags.mark_for("the time ran out before the interval was within +-0.5 %");
    if (row.stopped == "processes" && !is_narrow(row))
        marks += flags.mark_for("the interval is still wider than +-0.5 % after the maximum number of processes");
    std::sort(marks.begin(), marks.end());
    return marks;
}

std::string BenchMarks::peaks_text(const Paper& paper) const {
    const auto text = peaks.text(paper);
    return text.empty() ? "" : "peaks\n" + text;
}

std::string BenchMarks::flags_text(const Paper& paper) const { return flags.text(paper); }

constexpr std::size_t least_head = 23;  // columns for name and size on 80 columns; wider paper widens them
constexpr std::size_t size_columns = 8;
constexpr std::size_t interval_columns = 12;

// As wide as the paper allows and the longest name needs.
std::size_t head_columns(const std::vector<BenchFamily>& families, std::size_t paper) {
    std::size_t needed = least_head;
    for (const auto& family : families)
        for (const auto& path : family.paths) needed = std::max(needed, columns_of(path.label) + 1 + size_columns);
    return std::min(needed, least_head + paper - std::min(paper, paper_columns));
}

// The interval of what the row is read for: of its bandwidth or, if it moves nothing, of its time.
std::string interval_text(const RowSummary& row) {
    if (is_exact(row)) return "exact";
    if (!row.interval) return "-";
    const auto [low, high] = *row.interval;
    const auto bytes = static_cast<double>(row.items > 0 ? row.items : row.bytes_one_way);
    const auto from = bytes > 0 ? gigabytes_text(bytes / high) : seconds_text(low);
    const auto to = bytes > 0 ? gigabytes_text(bytes / low) : seconds_text(high);
    const auto unit = from.find(' ');
    auto text = from.substr(0, unit) + ".." + to.substr(0, to.find(' '));
    const bool same_unit = unit == std::string::npos || from.substr(unit) == to.substr(to.find(' '));
    if (from != to && same_unit && text.size() <= interval_columns) return text;
    return fmt::format("+-{:.1g} %", 50 * (high - low) / row.median_seconds.value_or(low));
}

// "33.1 cy": what stands where a row that moves nothing has no rate of touched bytes.
std::string cycles_text(double cycles) { return fmt::format("{:.{}f} cy", cycles, cycles < 99.95 ? 1 : 0); }

std::string numbers_of(const RowSummary& row, BenchMarks& marks) {
    const auto rate = [](const std::optional<double>& value) { return value ? gigabytes_text(*value) : "-"; };
    const auto see = !row.detectable ? "-"
                     : *row.detectable >= 10
                         ? ">999"
                         : fmt::format("{:.{}f}", 100 * *row.detectable, *row.detectable < 0.9995 ? 1 : 0);
    return fmt::format(" {:>7} {:>{}} {:>7} {:>6} {:>8} {:>2} {:>4} {}",
                       rate(row.items > 0 ? row.items_per_second : row.bytes_per_second_one_way), interval_text(row),
                       interval_columns,
                       row.items > 0 ? "Gop/s"
                       : row.cycles  ? cycles_text(*row.cycles)
                                     : rate(row.bytes_per_second_touched),
                       marks.peak_of(row), row.has_rate_only() ? "-" : seconds_text(row.median_seconds.value_or(0)),
                       row.processes, see, marks.flags_of(row));
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string row_text(const RowSummary& row, const std::string& label, std::size_t head, BenchMarks& marks,
                     const Paper& paper) {
    const auto size = size_text(row.parameters);
    const bool fits = columns_of(label) + 1 + size.size() <= head;
    std::string text = fits || label.empty() ? pad(label, head - size.size()) + size
                                             : "  " + wrap(label.substr(2), 2, 4, paper.columns()) + "\n" +
                                                   std::string(head - size.size(), ' ') + size;
    if (row.median_seconds && row.status == Status::ok) return trimmed(text + numbers_of(row, marks)) + "\n";
    const auto status = paper.strong(word(row.status));
    return text + " " + status +
           (row.because.empty() ? ""
                                : ": " + wrap(row.because, head + columns_of(status) + 3, head + 3, paper.columns())) +
           "\n";
}

// Empty where all operations took the same time, as on a virtual clock without noise.
std::string tail_text(const RowSummary& row) {
    if (!row.tail || row.status != Status::ok || row.tail->largest <= row.tail->p50) return "";
    const auto p99 = row.tail->p99 ? "p99 " + seconds_text(*row.tail->p99) + ", " : "";
    return fmt::format("    {} timed one by one: {}largest {}\n", row.tail->of, p99, seconds_text(row.tail->largest));
}

// The row itself has the time of the first GPU.
std::string ranks_text(const RowSummary& row) {
    if (!row.ranks || row.status != Status::ok) return "";
    return fmt::format("    of {} GPUs: mean {}, slowest {}\n", row.ranks->of, seconds_text(row.ranks->mean),
                       seconds_text(row.ranks->slowest));
}

// Lines below the sizes of a path: what was chosen for them, and the fit through them.
std::string below_path(const BenchPath& path, const MeasuredRun& measured, const Paper& paper) {
    const auto& first = *path.rows.front();
    std::string text;
    const auto add = [&](const std::string& words) { text += "    " + wrap(words, 4, 6, paper.columns()) + "\n"; };
    if (const auto chosen = chosen_words(path.rows); !chosen.empty()) {
        const auto faster = faster_words(path.rows, measured.rows);
        add("chosen: " + chosen + (faster.empty() ? "" : "; " + faster));
    }
    for (const auto& fit : measured.fits)
        if (fit.t0_seconds && fit.bytes_per_second && fit.benchmark == first.benchmark && fit.gpu == first.gpu &&
            fit.peer == first.peer && fit.device == first.device && fit.parameters == without_bytes(first.parameters))
            add(fmt::format("start-up {}, then {} GB/s, half of it at {}; off by {}", seconds_text(*fit.t0_seconds),
                            gigabytes_text(*fit.bytes_per_second), rounded_amount(fit.half_bandwidth_bytes.value_or(0)),
                            percent_text(fit.residual.value_or(0))));
    return text;
}

std::string operations_words(const std::vector<RowSummary>& rows) {
    const bool any = std::ranges::any_of(rows, [](const RowSummary& row) { return row.items > 0; });
    return any ? "Gop/s: the first column is 10^9 operations a second. " : "";
}

std::string cycles_words(const std::vector<RowSummary>& rows) {
    const bool any = std::ranges::any_of(rows, [](const RowSummary& row) { return row.cycles.has_value(); });
    return any ? "cy: the median in cycles of the SM clock, as the kernel counted them. " : "";
}

std::string touched_words(const std::vector<RowSummary>& rows) {
    const bool any = std::ranges::any_of(rows, [](const RowSummary& row) { return role_of(row.benchmark).collective; });
    return std::string("touched: every byte read or written") + (any ? ", of collectives the bus rate" : "");
}

bool is_short_of_time(const RowSummary& row) {
    return row.status == Status::skipped && has_flag(row.flags, budget_word);
}

// Each reason once, and few that only say how much time was missing; files have that of each row.
std::string skipped_text(const std::vector<RowSummary>& rows, const Paper& paper) {
    constexpr std::size_t most_of_time = 3;
    std::set<std::string> of_time;
    for (const auto& row : rows)
        if (is_short_of_time(row)) of_time.insert(row.because);
    std::map<std::string, std::pair<int, std::set<std::string>>> skipped;
    for (const auto& row : rows) {
        if (row.status != Status::skipped) continue;
        const bool one_of_many = of_time.size() > most_of_time && is_short_of_time(row);
        auto& [count, names] = skipped[one_of_many ? "budget: too little time was left for them" : row.because];
        ++count;
        names.insert(row.benchmark);
    }
    std::string text;
    for (const auto& [because, what] : skipped) {
        const auto names = joined(what.second);
        text += wrap(fmt::format("skipped: {}: {} of {}", because, counted(what.first, "row"), names), 0, 2,
                     paper.columns()) +
                "\n";
    }
    return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string tax_table(const std::vector<FrameworkTax>& taxes, const Paper& paper) {
    if (taxes.empty()) return "";
    auto text = "\n" + paper.strong("the framework's tax") +
                paper.faint("  time through LibTorch minus that of the runtime alone") + "\n";
    for (const auto& tax : taxes) {
        const auto head = "  " + tax.benchmark + " " + what_it_is(tax);
        const bool fits = columns_of(head) < 56;
        const auto sign = tax.extra_seconds < 0 ? "-" : "+";
        text += (fits ? pad(head, 56)
                      : wrap(head.substr(2), 2, 4, paper.columns()).insert(0, "  ") + "\n" + std::string(56, ' '));
        text += tax.extra_seconds == 0
                    ? fmt::format("{:>12}\n", "none")
                    : fmt::format("{:>12} {:>10}\n", sign + seconds_text(std::abs(tax.extra_seconds)),
                                  fmt::format("{:+.1f} %", 100 * (tax.ratio - 1)));
    }
    return text;
}

// Equal but for the rounding of a batch's time divided by its operations.
bool is_exact(const RowSummary& row) {
    constexpr double rounding = 1e-9;  // of sums of many parts; no clock tells such times apart
    const auto& medians = row.process_medians;
    return medians.size() > 1 && std::all_of(medians.begin(), medians.end(), [&](const ProcessMedian& one) {
               return std::abs(one.seconds - medians.front().seconds) <= rounding * one.seconds;
           });
}

std::string bench_table(const MeasuredRun& measured, const Paper& paper) {
    const auto families = bench_families(measured.rows);
    const auto head = head_columns(families, paper.columns());
    BenchMarks marks;
    std::string body;
    for (const auto& family : families) {
        body += paper.strong(family.name) + "  " +
                paper.faint(wrap(family.about, columns_of(family.name) + 2, 4, paper.columns())) + "\n";
        for (const auto& path : family.paths) {
            for (const auto* row : path.rows)
                body += row_text(*row, row == path.rows.front() ? path.label : "", head, marks, paper) +
                        tail_text(*row) + ranks_text(*row);
            body += below_path(path, measured, paper);
        }
    }
    if (body.empty()) return skipped_text(measured.rows, paper);
    const auto columns = fmt::format(" {:>7} {:>{}} {:>7} {:>6} {:>8} {:>2} {:>4}", "GB/s", "95 %", interval_columns,
                                     "touched", "% peak", "median", "n", "see%");
    auto text = marks.peaks_text(paper) + paper.faint(pad("", head) + columns) + "\n" + body;
    text += pair_matrices_text(measured.rows, paper) + tax_table(measured.taxes, paper) +
            skipped_text(measured.rows, paper);
    const auto legend = operations_words(measured.rows) + cycles_words(measured.rows) + columns_legend +
                        touched_words(measured.rows) + ". " + see_legend;
    return text + "\n" + wrap(legend, 0, 0, paper.columns()) + "\n" + marks.flags_text(paper);
}

bool is_finding(Status status) { return status != Status::ok && status != Status::skipped; }

bool has_findings(const std::vector<RowSummary>& rows) {
    return std::any_of(rows.begin(), rows.end(), [](const RowSummary& row) {
        return is_finding(row.status) || std::any_of(row.left_out.begin(), row.left_out.end(),
                                                     [](const LeftOut& one) { return is_finding(one.status); });
    });
}

std::string bench_findings(const std::vector<RowSummary>& rows, const Paper& paper) {
    std::string text;
    for (const auto& row : rows) {
        std::map<Status, std::vector<const LeftOut*>> found;
        for (const auto& one : row.left_out)
            if (is_finding(one.status)) found[one.status].push_back(&one);
        for (const auto& [status, processes] : found) {
            const auto name = row_words(row.benchmark, row.parameters);
            const auto where = processes.size() == 1
                                   ? fmt::format("in process {}", processes[0]->process)
                                   : fmt::format("in {} processes, first {}", processes.size(), processes[0]->process);
            text += wrap(fmt::format("! {}: {} {}: {}", name, paper.strong(word(status)), where, processes[0]->because),
                         0, 2, paper.columns()) +
                    "\n";
        }
    }
    return text;
}

}  // namespace tocuda
