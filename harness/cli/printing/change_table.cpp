// tocuda, Apache-2.0.
#include "printing/change_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "model/parameter_values.hpp"
#include "printing/flag_words.hpp"
#include "printing/legend.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

// The letters next to the rows of a comparison and their meaning: reasons shared by many rows are printed once.
constexpr double clock_change_least = 0.005;  // smaller changes explain nothing

std::string marks_for(const AnsweredRow& row, Legend& legend) {
    std::string marks;
    if (!row.change.because.empty()) marks += legend.mark_for(row.change.because);
    if (row.change.worth_a_look) marks += legend.mark_for("worth another look: among so many rows it may be chance");
    if (is_change(row.change.verdict) && row.clock_change && std::abs(*row.clock_change) >= clock_change_least)
        marks += legend.mark_for(fmt::format("SM clock {:+.1f} %", 100 * *row.clock_change));
    for (const auto& flag : row.flags) marks += legend.mark_for(flag_in_words(flag));
    std::ranges::sort(marks);
    return marks;
}

constexpr std::size_t first_number_column = 16;
constexpr std::size_t rows_a_verdict = 20;  // per verdict, without --all

constexpr std::array order{ChangeVerdict::slower,        ChangeVerdict::faster,    ChangeVerdict::likely_slower,
                           ChangeVerdict::likely_faster, ChangeVerdict::undecided, ChangeVerdict::invalid,
                           ChangeVerdict::same};

std::string percent(double part) {
    if (part == 0) return "0";
    const auto value = 100 * part;
    const auto size = std::abs(value);
    if (size >= 99995) return value > 0 ? ">1e5" : "<-1e5";
    return fmt::format("{:+.{}f}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string numbers_of(const AnsweredRow& one, bool by_rounds, const std::string& verdict, const std::string& marks) {
    const auto& change = one.change;
    const auto level = [&](const std::optional<double>& seconds) -> std::string {
        if (!seconds) return "-";
        const auto text = level_text(one.rate, *seconds);
        return one.rate ? text.substr(0, text.find(' ')) : text;  // the unit is in the heading
    };
    const bool exact = change.interval && change.interval->low == change.interval->high;
    constexpr double too_wide = 10;  // -100 to +900 %
    const bool says_nothing = change.interval && change.interval->high - change.interval->low > too_wide;
    const auto interval = exact             ? "exact"
                          : says_nothing    ? "-"
                          : change.interval ? percent(change.interval->low) + " " + percent(change.interval->high)
                                            : "-";
    const auto see =
        change.detectable ? (*change.detectable < 10 ? fmt::format("{:.1f}", 100 * *change.detectable) : ">999") : "-";
    return fmt::format("{:>8} {:>8} {:>6} {:>13} {:>5} {:>5} {} {}", level(one.seconds_before),
                       level(one.seconds_after), change.change ? percent(*change.change) : "-", interval, see,
                       by_rounds ? std::to_string(change.processes_after)
                       : !change.hosts.empty()
                           ? std::to_string(std::ranges::count(change.hosts, false, &HostChange::set_aside))
                           : fmt::format("{}/{}", change.starts_before, change.starts_after),
                       pad(verdict, 9), marks);
}

// Two digits: noise is not known better.
std::string noise_text(double part) {
    const double percent = 100 * part;
    return percent >= 9.95 ? fmt::format("{:.0f} %", percent) : fmt::format("{:.2g} %", percent);
}

constexpr std::size_t hosts_told = 3;

// "; 8 hosts that kept the driver: +0.1 %, subtracted; the old driver again: +0.1 %"
std::string controls_words(const RowChange& change) {
    const auto again = change.drift ? fmt::format("; the old driver again: {:+.1f} %", 100 * *change.drift) : "";
    if (!change.controls_change) return again;
    const auto left = count_witnesses(change.controls), all = static_cast<int>(change.controls.size());
    return again + fmt::format("; {}{} that kept the driver: {:+.1f} %, {}",
                               left < all ? fmt::format("{} of ", left) : "",
                               counted(all, change.by_block ? "block" : "host"), 100 * *change.controls_change,
                               change.less_controls
                                   ? "subtracted"
                                   : fmt::format("not subtracted: {} are needed", ComparisonRules{}.hosts_min));
}

// "8 of 8 hosts slower, most of all node03 +3.4, node01 +3.2, node07 +3.1 %"
std::string hosts_words(const RowChange& change) {
    if (change.hosts.empty() || !change.change) return "";
    std::vector<HostChange> hosts, aside;
    for (const auto& one : change.hosts) (one.set_aside ? aside : hosts).push_back(one);
    const bool slower = *change.change >= 0;
    const double all_had = change.less_controls ? *change.controls_change : 0;
    const auto agree = std::ranges::count_if(
        hosts, [&](const HostChange& one) { return slower ? one.change > all_had : one.change < all_had; });
    auto text = fmt::format("{} of {} {} {}, most of all", agree, hosts.size(), change.by_block ? "blocks" : "hosts",
                            slower ? "slower" : "faster");
    const auto first = [&](const std::vector<HostChange>& some) {
        for (std::size_t i = 0; i < std::min(hosts_told, some.size()); ++i) {
            const auto& one = some[slower ? i : some.size() - 1 - i];
            text += fmt::format("{} {} {:+.1f}", i == 0 ? "" : ",", host_name(one.host), 100 * (one.change - all_had));
        }
        text += " %";
    };
    first(hosts);
    if (!aside.empty()) {
        text += fmt::format("; without {} far from them,", aside.size());
        first(aside);
    }
    return text + controls_words(change);
}

// What a row says of its hosts and their GPUs.
std::string witness_words(const RowChange& change) {
    auto text = hosts_words(change);
    if (const auto groups = groups_words(change); !groups.empty()) text += "; " + groups;
    for (const auto& one : apart_words(change)) text += (text.empty() ? "! " : "; ! ") + one;
    return text;
}

// "Starts of this GPU differ by 0.12 %": by their standard deviation.
std::string known_noise_words(const StartNoise& noise) {
    constexpr std::string_view recorded = "recorded ";
    const auto spread = noise_text(noise.spread);
    return noise.of.starts_with(recorded) ? "Starts " + noise.of.substr(recorded.size()) + " differ by " + spread
                                          : "Starts are " + noise.of + " to differ by " + spread;
}

std::string chance_words(const RowChange& change, bool is_likely) {
    if (!change.chance_above) return "";
    if (*change.chance_above == 0) return "Its processes alone may explain it";
    const auto above = noise_text(*change.chance_above);
    if (!change.start_noise)
        return "Starts that differ by more than " + above + " explain it; by how much they do is not known";
    return known_noise_words(*change.start_noise) +
           (is_likely ? "; they would have to differ by " + above + " to explain it" : "; " + above + " explains it");
}

std::string row_text(const AnsweredRow& one, std::size_t column, bool by_rounds, Legend& legend, const Paper& paper) {
    const auto head = "  " + named_values(one.row.parameters);
    const bool fits = columns_of(head) < column;
    auto numbers = std::string(column, ' ') +
                   numbers_of(one, by_rounds, paper.word_of(one.change.verdict), marks_for(one, legend));
    numbers.erase(numbers.find_last_not_of(' ') + 1);
    if (const auto basis = basis_words(one.change); !basis.empty()) {
        const bool beside = columns_of(numbers) + 2 + basis.size() <= paper.columns();
        const bool is_only_starts = !leaning(one.change) && !one.change.not_excluded &&
                                    !is_likely(one.change.verdict) && witness_words(one.change).empty();
        if (beside) numbers += "  " + basis;
        else if (!is_only_starts)
            numbers += "\n" + std::string(column, ' ') + wrap(basis, column, column + 2, paper.columns());
    }
    return (fits ? pad(head, column) + numbers.substr(column)
                 : "  " + wrap(head.substr(2), 2, 4, paper.columns()) + "\n" + numbers) +
           "\n";
}

// As wide as the paper allows and the longest parameters need.
std::size_t number_column(const ChangeReport& report, const Paper& paper) {
    std::size_t needed = first_number_column;
    for (const auto& one : report.rows) needed = std::max(needed, columns_of(named_values(one.row.parameters)) + 3);
    return std::min(needed, first_number_column + paper.columns() - std::min(paper.columns(), paper_columns));
}

std::string heading(const AnsweredRow& one, bool several_gpus, const Paper& paper) {
    const auto rest = (one.rate ? one.rate->unit : std::string(word(one.row.clock)) + " clock") +
                      (one.row.gpus > 1 ? ", " + counted(one.row.gpus, "GPU") + " together" : "") +
                      (one.row.is_part && !one.row.host.empty() ? ", host " + one.row.host : "") +
                      (several_gpus && !one.row.gpu.empty() ? ", on " + one.row.gpu : "") +
                      (one.row.peer.empty() ? "" : " with " + one.row.peer);
    return paper.strong(one.row.benchmark) + "  " +
           paper.faint(wrap(rest, columns_of(one.row.benchmark) + 2, 4, paper.columns())) + "\n";
}

bool belong_together(const AnsweredRow& left, const AnsweredRow& right) {
    return left.row.benchmark == right.row.benchmark && left.row.gpu == right.row.gpu &&
           left.row.gpus == right.row.gpus && left.row.peer == right.row.peer && left.row.clock == right.row.clock &&
           left.row.device == right.row.device && left.row.is_part == right.row.is_part &&
           (!left.row.is_part || left.row.host == right.row.host);
}

double size_of(const AnsweredRow& one) { return one.change.change ? std::abs(*one.change.change) : 0; }

bool comes_before(const AnsweredRow* left, const AnsweredRow* right) {
    const auto& ours = left->row.parameters;
    const auto& theirs = right->row.parameters;
    return std::lexicographical_compare(
        ours.begin(), ours.end(), theirs.begin(), theirs.end(), [](const auto& one, const auto& other) {
            if (one.first != other.first) return one.first < other.first;
            const auto* number = std::get_if<std::int64_t>(&one.second.held);
            const auto* other_number = std::get_if<std::int64_t>(&other.second.held);
            if (!number != !other_number) return number != nullptr;
            return number ? *number < *other_number : plain(one.second) < plain(other.second);
        });
}

// Whether a row that is the same says something else: of one host or GPU, or that all changed, whatever their driver.
bool has_something_else(const RowChange& change) {
    return !apart_words(change).empty() || (change.less_controls && std::abs(*change.controls_change) > change.margin);
}

// Returns the rows of one verdict to print: those with the largest changes, in order of name and size.
std::vector<const AnsweredRow*> told(const ChangeReport& report, ChangeVerdict verdict, bool all) {
    std::vector<const AnsweredRow*> rows;
    for (const auto& one : report.rows)
        if (one.change.verdict == verdict) rows.push_back(&one);
    const bool is_short = all || is_change(verdict) || is_likely(verdict);
    if (!is_short && verdict == ChangeVerdict::same)
        std::erase_if(rows, [](const AnsweredRow* one) { return !has_something_else(one->change); });
    if (!is_short && rows.size() > rows_a_verdict) {
        std::stable_sort(rows.begin(), rows.end(), [](const auto* left, const auto* right) {
            return left->change.worth_a_look != right->change.worth_a_look ? left->change.worth_a_look
                                                                           : size_of(*left) > size_of(*right);
        });
        rows.resize(rows_a_verdict);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto* left, const auto* right) {
        return left->row.benchmark != right->row.benchmark ? left->row.benchmark < right->row.benchmark
               : left->row.gpu != right->row.gpu           ? left->row.gpu < right->row.gpu
                                                           : comes_before(left, right);
    });
    return rows;
}

std::string not_told(const ChangeReport& report, ChangeVerdict verdict, std::size_t shown) {
    const auto count = static_cast<std::size_t>(std::count_if(
        report.rows.begin(), report.rows.end(), [&](const AnsweredRow& one) { return one.change.verdict == verdict; }));
    if (count <= shown || verdict == ChangeVerdict::same) return "";
    const auto rows = counted(static_cast<std::int64_t>(count - shown), fmt::format("more {} row", word(verdict)));
    return fmt::format("  ... and {}; --all lists them\n", rows);
}

}  // namespace

std::string level_text(const std::optional<PrintedRate>& rate, double seconds) {
    return rate ? four_digits(rate->amount / seconds) + " " + rate->unit : seconds_text(seconds);
}

std::string reason_words(const RowChange& change) {
    const bool likely = is_likely(change.verdict);
    if (change.verdict != ChangeVerdict::undecided && !likely) return witness_words(change);
    std::string text = chance_words(change, likely);
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ". ") + more; };
    if (change.not_excluded)
        add(fmt::format("No slow-down{} above {}{}", change.hosts.empty() ? "" : " of all together",
                        percent_text(*change.not_excluded), change.start_noise ? " (likely)" : ""));
    if (change.starts_missing > 0)
        add("To be sure: " + counted(change.starts_missing, change.hosts.empty() ? "more start"
                                                            : change.by_block    ? "more block"
                                                                                 : "more host"));
    if (const auto hosts = witness_words(change); !hosts.empty()) add(hosts);
    return text;
}

std::string basis_words(const RowChange& change) {
    const auto leans = leaning(change);
    const auto reason = reason_words(change);
    if (!leans && !is_likely(change.verdict)) return reason;
    const auto what = leans ? "leans " + std::string(word(*leans)) : std::string(word(change.verdict));
    return fmt::format("{} by {}{}", what, percent_text(std::abs(change.change.value_or(0))),
                       reason.empty() ? "" : ". " + reason);
}

std::string change_table(const ChangeReport& report, bool all, const Paper& paper) {
    std::set<std::string> gpus;
    for (const auto& one : report.rows) gpus.insert(one.row.gpu);
    Legend legend('a');
    const auto column = number_column(report, paper);
    std::string rows;
    const AnsweredRow* last = nullptr;
    for (const auto verdict : order) {
        const auto shown = told(report, verdict, all);
        for (const auto* one : shown) {
            if (!last || !belong_together(*last, *one) || last->change.verdict != verdict)
                rows += (last ? "\n" : "") + heading(*one, gpus.size() > 1, paper);
            rows += row_text(*one, column, report.by_rounds, legend, paper);
            last = one;
        }
        rows += not_told(report, verdict, shown.size());
    }
    if (!last) return "";
    const auto columns =
        fmt::format("{:>8} {:>8} {:>6} {:>13} {:>5} {:>5}", "old", "new", "+-%", "interval %", "see %", "n");
    const std::string medians =
        report.by_rounds ? "medians over n rounds with a fresh process of each side per round"
        : report.machines > 1
            ? "old, new: medians of all starts; n: hosts, or blocks of them, whose mean change is given (n/n: "
              "medians of independent starts on each side)"
            : "medians of n independent starts on each side";
    return paper.faint(pad("", column) + columns) + "\n" + rows + "\n" +
           wrap(medians +
                    "; +-%: the change of time, above zero is slower, with its interval, adjusted for all rows "
                    "together; see %: the smallest change that this data could have shown (-: none); same: the row's "
                    "own 90 % interval is within the margin",
                0, 0, paper.columns()) +
           "\n" + legend.text(paper) + deciding_words(report, paper);
}

}  // namespace tocuda
