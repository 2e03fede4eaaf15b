// tocuda, Apache-2.0.
#include "command/bench_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "command/framework_tax.hpp"
#include "command/quantities.hpp"
#include "model/cut_for_time.hpp"
#include "model/parameter_text.hpp"

namespace tocuda {
namespace {

constexpr std::size_t numbers_column = 21;

constexpr auto few_processes = "budget: the time ran out before the row had as many processes as the protocol requires";

// Assigns letters to flags in the order in which they first appear.
class Legend {
public:
    std::string marks_for(const RowSummary& row) {
        std::string marks;
        for (const auto& flag : row.flags) marks += mark_for(flag == budget_word ? few_processes : flag);
        const bool cut = std::find(row.flags.begin(), row.flags.end(), budget_word) != row.flags.end();
        if (row.stopped == "budget" && !cut)
            marks += mark_for("the time ran out before the interval was within +-0.5 %");
        if (row.stopped == "processes")
            marks += mark_for("the interval is still wider than +-0.5 % after the maximum number of processes");
        std::sort(marks.begin(), marks.end());
        return marks;
    }
    std::string text() const {
        std::string text;
        for (std::size_t i = 0; i < flags.size(); ++i)
            text += fmt::format("  {}  {}\n", letter(i), wrap(flags[i], 5, 5));
        return text;
    }

private:
    static char letter(std::size_t number) { return number < 26 ? static_cast<char>('a' + number) : '*'; }
    char mark_for(const std::string& flag) {
        const auto found = std::find(flags.begin(), flags.end(), flag);
        const auto number = static_cast<std::size_t>(found - flags.begin());
        if (found == flags.end()) flags.push_back(flag);
        return letter(number);
    }

    std::vector<std::string> flags;
};

std::string words_of(const Parameters& parameters, const std::set<std::string>& which, bool those) {
    std::string text;
    for (const auto& [name, value] : parameters) {
        if (which.contains(name) != those) continue;
        text += (text.empty() ? "" : " ") + named_value(name, value);
    }
    return text;
}

// Rows under one heading, from the smallest to the largest.
struct Group {
    const RowSummary* first;
    std::vector<const RowSummary*> rows;
    std::set<std::string> varying;  // parameters that differ between its rows
};

bool same_benchmark(const RowSummary& left, const RowSummary& right) {
    return left.benchmark == right.benchmark && left.gpu == right.gpu && left.peer == right.peer &&
           left.device == right.device;
}

bool same_path(const RowSummary& left, const RowSummary& right) {
    auto of_left = left.parameters;
    auto of_right = right.parameters;
    of_left.erase("bytes");
    of_right.erase("bytes");
    return same_benchmark(left, right) && of_left == of_right;
}

bool comes_before(const Parameters& left, const Parameters& right) {
    for (const auto& [name, value] : left) {
        const auto other = right.find(name);
        if (other == right.end() || other->second == value) continue;
        const auto* number = std::get_if<std::int64_t>(&value.held);
        const auto* other_number = std::get_if<std::int64_t>(&other->second.held);
        return number && other_number ? *number < *other_number : plain(value) < plain(other->second);
    }
    return false;
}

std::vector<Group> groups_by(bool (*alike)(const RowSummary&, const RowSummary&),
                             const std::vector<const RowSummary*>& rows) {
    std::vector<Group> groups;
    for (const auto* row : rows) {
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return alike(*group.first, *row); });
        if (found == groups.end()) groups.push_back({row, {row}, {}});
        else found->rows.push_back(row);
    }
    for (auto& group : groups) {
        const bool sized = group.first->parameters.contains("bytes");
        for (const auto& one : group.first->parameters) {
            const auto differs = [&](const RowSummary* row) { return row->parameters.at(one.first) != one.second; };
            if (one.first == "bytes" || (group.rows.size() == 1 && !sized) ||
                std::any_of(group.rows.begin(), group.rows.end(), differs))
                group.varying.insert(one.first);
        }
    }
    return groups;
}

std::string head_of(const RowSummary& row, const Group& group) {
    return "  " + words_of(row.parameters, group.varying, true);
}

// One group per benchmark; if the varying parameters do not fit into the first column, one per path.
std::vector<Group> groups_of(const std::vector<RowSummary>& rows) {
    std::vector<const RowSummary*> sorted;
    for (const auto& row : rows) sorted.push_back(&row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto* left, const auto* right) {
        return left->benchmark != right->benchmark ? left->benchmark < right->benchmark
                                                   : comes_before(left->parameters, right->parameters);
    });
    std::vector<Group> groups;
    for (auto& group : groups_by(same_benchmark, sorted)) {
        const bool fits = std::all_of(group.rows.begin(), group.rows.end(), [&](const auto* row) {
            return columns_of(head_of(*row, group)) < numbers_column;
        });
        auto paths = fits ? std::vector<Group>{std::move(group)} : groups_by(same_path, group.rows);
        groups.insert(groups.end(), std::make_move_iterator(paths.begin()), std::make_move_iterator(paths.end()));
    }
    return groups;
}

// A deviation in percent with as many digits as fit.
std::string deviation(double part) {
    const auto percent = 100 * part;
    return fmt::format("{:+.{}f}", percent, std::abs(percent) < 9.995 ? 2 : std::abs(percent) < 99.95 ? 1 : 0);
}

std::string number_or_dash(const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", 100 * *value, digits) : "-";
}

std::string numbers_of(const RowSummary& row, const std::string& marks) {
    const auto median = row.median_seconds.value_or(0);
    const auto interval = row.interval && median > 0 ? deviation(row.interval->low / median - 1) + " " +
                                                           deviation(row.interval->high / median - 1)
                                                     : "-";
    const auto rate = [](const std::optional<double>& value) { return value ? gigabytes_text(*value) : "-"; };
    const auto peak = row.percent_of_peak ? fmt::format("{:.1f}", *row.percent_of_peak) : "-";
    return fmt::format("{:>9} {:>13} {:>7} {:>7} {:>6} {:>3} {:>5} {}", seconds_text(median), interval,
                       rate(row.bytes_per_second_one_way), rate(row.bytes_per_second_touched), peak, row.processes,
                       number_or_dash(row.detectable, 1), marks);
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string row_text(const RowSummary& row, const Group& group, Legend& legend, const Paper& paper) {
    const auto head = head_of(row, group);
    const bool fits = columns_of(head) < numbers_column;
    std::string text = fits ? pad(head, numbers_column)
                            : wrap(head.substr(2), 2, 4).insert(0, "  ") + "\n" + std::string(numbers_column, ' ');
    if (row.median_seconds && row.status == Status::ok)
        return trimmed(text + numbers_of(row, legend.marks_for(row))) + "\n";
    const auto status = paper.strong(word(row.status));
    return text + status +
           (row.because.empty()
                ? ""
                : ": " + wrap(row.because, numbers_column + columns_of(status) + 2, numbers_column + 2)) +
           "\n";
}

bool all_skipped_alike(const Group& group) {
    return group.rows.size() > 1 && std::all_of(group.rows.begin(), group.rows.end(), [&](const auto* row) {
               return row->status == Status::skipped && row->because == group.first->because;
           });
}

std::string fit_text(const PathFit& fit, const Group& group) {
    if (!fit.t0_seconds || !fit.bytes_per_second) return "";
    const auto which = words_of(fit.parameters, group.varying, true);
    return "  " +
           wrap(fmt::format("{}start-up {}, then {} GB/s; half of that at {}; off by {} over {} sizes",
                            which.empty() ? "" : which + ": ", seconds_text(*fit.t0_seconds),
                            gigabytes_text(*fit.bytes_per_second), rounded_amount(fit.half_bandwidth_bytes.value_or(0)),
                            percent_text(fit.residual.value_or(0)), fit.sizes),
                2, 4) +
           "\n";
}

bool is_of(const PathFit& fit, const Group& group) {
    if (fit.benchmark != group.first->benchmark || fit.gpu != group.first->gpu || fit.peer != group.first->peer ||
        fit.device != group.first->device)
        return false;
    return std::all_of(fit.parameters.begin(), fit.parameters.end(), [&](const auto& one) {
        return group.varying.contains(one.first) || group.first->parameters.at(one.first) == one.second;
    });
}

std::string below_group(const Group& group, const std::vector<PathFit>& fits) {
    std::string text;
    for (const auto& fit : fits)
        if (is_of(fit, group)) text += fit_text(fit, group);
    std::map<std::string, double> peaks;
    for (const auto* row : group.rows)
        if (row->peak.bytes_per_second > 0) peaks.emplace(row->peak.source, row->peak.bytes_per_second);
    for (const auto& [source, rate] : peaks)
        text += "  " + wrap(fmt::format("peak {} GB/s: {}", gigabytes_text(rate), source), 2, 4) + "\n";
    return text;
}

std::string heading(const Group& group, bool several_gpus, const Paper& paper) {
    const auto& first = *group.first;
    auto rest = words_of(first.parameters, group.varying, false);
    rest += (rest.empty() ? "" : ", ") + std::string(word(first.clock)) + " clock";
    if (several_gpus && !first.gpu.empty())
        rest += ", on " + first.gpu + (first.peer.empty() ? "" : " with " + first.peer);
    return "\n" + paper.strong(first.benchmark) + "  " + paper.faint(wrap(rest, columns_of(first.benchmark) + 2, 4)) +
           "\n";
}

}  // namespace

std::string bench_table(const MeasuredRun& measured, const Paper& paper) {
    const auto& [rows, fits, taxes] = measured;
    std::set<std::string> gpus;
    for (const auto& row : rows)
        if (!row.gpu.empty()) gpus.insert(row.gpu);
    Legend legend;
    auto text =
        paper.faint(pad("", numbers_column) + fmt::format("{:>9} {:>13} {:>7} {:>7} {:>6} {:>3} {:>5}", "median",
                                                          "interval %", "GB/s", "touched", "peak %", "n", "see %")) +
        "\n";
    for (const auto& group : groups_of(rows)) {
        text += heading(group, gpus.size() > 1, paper);
        if (all_skipped_alike(group)) {
            text += "  " + wrap("skipped: " + group.first->because, 2, 4) + "\n";
            continue;
        }
        for (const auto* row : group.rows) text += row_text(*row, group, legend, paper);
        text += below_group(group, fits);
    }
    text += tax_table(taxes, paper);
    text += "\n" +
            wrap(
                "median of n processes with its 95 % interval (none below 6); GB/s: payload, one way; touched: every "
                "byte read or written; see %: the smallest change that a comparison of as many processes can detect",
                0, 0) +
            "\n";
    return text + legend.text();
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
            const auto name = row.benchmark + (row.parameters.empty() ? "" : " ") + words_of(row.parameters, {}, false);
            const auto where = processes.size() == 1
                                   ? fmt::format("in process {}", processes[0]->process)
                                   : fmt::format("in {} processes, first {}", processes.size(), processes[0]->process);
            text += wrap(fmt::format("! {}: {} {}: {}", name, paper.strong(word(status)), where, processes[0]->because),
                         0, 2) +
                    "\n";
        }
    }
    return text;
}

}  // namespace tocuda
