// tocuda, Apache-2.0.
#include "tables/bench_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tables/bench_families.hpp"
#include "tables/bench_marks.hpp"
#include "tables/best_choice.hpp"
#include "tables/framework_tax.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

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

// Equal but for the rounding of a batch's time divided by its operations.
bool are_equal(const std::vector<ProcessMedian>& medians) {
    constexpr double rounding = 1e-12;
    return medians.size() > 1 && std::all_of(medians.begin(), medians.end(), [&](const ProcessMedian& one) {
               return std::abs(one.seconds - medians.front().seconds) <= rounding * one.seconds;
           });
}

// The interval of what the row is read for: of its bandwidth or, if it moves nothing, of its time.
std::string interval_text(const RowSummary& row) {
    if (are_equal(row.process_medians)) return "exact";
    if (!row.interval) return "-";
    const auto [low, high] = *row.interval;
    const auto bytes = static_cast<double>(row.bytes_one_way);
    const auto from = bytes > 0 ? gigabytes_text(bytes / high) : seconds_text(low);
    const auto to = bytes > 0 ? gigabytes_text(bytes / low) : seconds_text(high);
    const auto unit = from.find(' ');
    auto text = from.substr(0, unit) + ".." + to.substr(0, to.find(' '));
    const bool same_unit = unit == std::string::npos || from.substr(unit) == to.substr(to.find(' '));
    if (from != to && same_unit && text.size() <= interval_columns) return text;
    return fmt::format("+-{:.1g} %", 50 * (high - low) / row.median_seconds.value_or(low));
}

std::string numbers_of(const RowSummary& row, BenchMarks& marks) {
    const auto rate = [](const std::optional<double>& value) { return value ? gigabytes_text(*value) : "-"; };
    const auto see =
        row.detectable ? fmt::format("{:.{}f}", 100 * *row.detectable, *row.detectable < 0.9995 ? 1 : 0) : "-";
    return fmt::format(" {:>7} {:>{}} {:>7} {:>6} {:>8} {:>2} {:>4} {}", rate(row.bytes_per_second_one_way),
                       interval_text(row), interval_columns, rate(row.bytes_per_second_touched), marks.peak_of(row),
                       seconds_text(row.median_seconds.value_or(0)), row.processes, see, marks.flags_of(row));
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

// Each reason once.
std::string skipped_text(const std::vector<RowSummary>& rows, const Paper& paper) {
    std::map<std::string, std::pair<int, std::set<std::string>>> skipped;
    for (const auto& row : rows) {
        if (row.status != Status::skipped) continue;
        auto& [count, names] = skipped[row.because];
        ++count;
        names.insert(row.benchmark);
    }
    std::string text;
    for (const auto& [because, what] : skipped) {
        std::string names;
        for (const auto& name : what.second) names += (names.empty() ? "" : ", ") + name;
        text += wrap(fmt::format("skipped: {}: {} of {}", because, counted(what.first, "row"), names), 0, 2,
                     paper.columns()) +
                "\n";
    }
    return text.empty() ? "" : "\n" + text;
}

}  // namespace

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
                body += row_text(*row, row == path.rows.front() ? path.label : "", head, marks, paper);
            body += below_path(path, measured, paper);
        }
    }
    const auto columns = fmt::format(" {:>7} {:>{}} {:>7} {:>6} {:>8} {:>2} {:>4}", "GB/s", "95 %", interval_columns,
                                     "touched", "% peak", "median", "n", "see%");
    auto text = marks.peaks_text(paper) + paper.faint(pad("", head) + columns) + "\n" + body;
    text += tax_table(measured.taxes, paper) + skipped_text(measured.rows, paper);
    return text + "\n" +
           wrap(
               "GB/s: payload, one way; 95 %: the interval of that rate over n processes, or of the time where nothing "
               "is moved (none below 6; exact: all are equal); touched: every byte read or written; see%: the smallest "
               "change that a comparison of as many processes can detect",
               0, 0, paper.columns()) +
           "\n" + marks.flags_text(paper);
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
            const auto name = row.benchmark + (row.parameters.empty() ? "" : " ") + named_values(row.parameters);
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
