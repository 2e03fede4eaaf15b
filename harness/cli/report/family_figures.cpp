// tocuda, Apache-2.0.
// The figures of one family.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "printing/pair_matrix.hpp"
#include "report/family_curves.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

std::vector<ChartPoint> points_of(const Path& path, const Quantity& quantity) {
    std::vector<ChartPoint> points;
    for (const auto* row : path.rows)
        if (const auto size = page::size_of(*row); has_value(*row) && size.value_or(0) > 0)
            points.push_back({*size, quantity.of(*row), quantity.interval_of(*row)});
    return points;
}

// The fastest measured row of each clock: what can be attained here.
std::vector<ChartLevel> attained(const Family& family, const Quantity& quantity) {
    std::map<Clock, std::pair<const RowSummary*, std::string>> best;
    for (const auto& path : family.paths)
        for (const auto* row : path.rows)
            if (auto& [fastest, label] = best[row->clock];
                has_value(*row) && (!fastest || quantity.of(*row) > quantity.of(*fastest))) {
                fastest = row;
                label = path.label;
            }
    std::vector<ChartLevel> levels;
    for (const auto& [clock, one] : best)
        if (one.first && quantity.rate)
            levels.push_back({fmt::format("attained by the {} clock: {} ({} {})", word(clock),
                                          value_text(quantity.unit(), quantity.of(*one.first)), one.second,
                                          size_text(one.first->parameters)),
                              quantity.of(*one.first), clock == Clock::host ? "attained host" : "attained"});
    return levels;
}

std::string intervals_words(const RowList& rows) {
    std::size_t without = 0;
    std::size_t valid = 0;
    for (const auto* row : rows) {
        valid += has_value(*row) ? 1 : 0;
        without += has_value(*row) && !row->interval ? 1 : 0;
    }
    std::string text = "Intervals: 95 %, of the median over processes.";
    if (without == valid) text = "No intervals: these need at least 6 processes.";
    else if (without > 0)
        text += fmt::format(" {} had fewer than 6 processes and none.", counted(std::ssize(rows), "row"));
    return valid == rows.size() ? text
                                : text + fmt::format(" {} without a valid time: see the table.",
                                                     counted(static_cast<std::int64_t>(rows.size() - valid), "row"));
}

// What every row has in common stands in the caption: a page of a full run has thousands of rows.
Table table_of(const std::string& caption, const std::vector<std::pair<std::string, const RowSummary*>>& rows,
               const Quantity& quantity) {
    const auto all = [&rows](auto holds) { return !rows.empty() && std::ranges::all_of(rows, holds); };
    const bool by_host = all([](const auto& labelled) { return labelled.first.ends_with(host_clock); });
    const auto processes = rows.empty() ? 0 : rows.front().second->processes;
    const bool same = all([&](const auto& labelled) { return labelled.second->processes == processes; });
    auto title = caption + (by_host ? "; host clock" : "");
    if (same) title += fmt::format("; {} process{} each", processes, processes == 1 ? "" : "es");
    Table table{title, columns_for(quantity, !same), {}};
    for (const auto& [label, row] : rows) {
        const auto mechanism = by_host ? label.substr(0, label.size() - host_clock.size()) : label;
        table.rows.push_back(cells_of(*row, mechanism, quantity, !same));
    }
    return table;
}

// Draws the curves of one family, and remembers which rows its tables hold.
class FamilyFigures {
public:
    FamilyFigures(const Family& one, const std::string& run_id, Figures& on_page, const Redaction& redaction)
        : family(one), run(run_id), figures(on_page), hidden(redaction), html(redaction),
          quantity(quantity_of(one.rows())) {}

    Html all(const std::vector<PathFit>& fits) {
        curves();
        mechanisms();
        for (const auto& matrix : pair_matrices(family.rows())) pairs(matrix);
        html.add("{}", start_up_of(family, fits, run, figures, hidden));
        others();
        return html;
    }

private:
    void curves() {
        std::vector<const Path*> drawn;
        for (const auto& path : family.paths)
            if (points_of(path, quantity).size() > 1) drawn.push_back(&path);
        const auto parts = (drawn.size() + looks - 1) / looks;
        for (std::size_t part = 0; part < parts; ++part) {
            const auto begin = drawn.begin() + static_cast<std::ptrdiff_t>(part * looks);
            const auto end = drawn.begin() + static_cast<std::ptrdiff_t>(std::min(drawn.size(), (part + 1) * looks));
            curves_of({begin, end}, parts == 1 ? "" : fmt::format(" ({} of {})", part + 1, parts));
        }
    }

    void curves_of(const std::vector<const Path*>& paths, const std::string& part) {
        CurveChart chart{
            .title = title_of(family, (quantity.rate ? "bandwidth against size" : "time against size") + part),
            .axis = quantity.name(),
            .unit = quantity.unit()};
        std::vector<std::pair<std::string, const RowSummary*>> rows;
        RowList list;
        for (const auto* path : paths) {
            chart.curves.push_back({label_of(*path), by_host(*path), points_of(*path, quantity)});
            const auto& [first, last] =
                std::pair(chart.curves.back().points.front(), chart.curves.back().points.back());
            chart.description += fmt::format("{}: {} at {}, {} at {}. ", label_of(*path),
                                             value_text(quantity.unit(), first.value), rounded_amount(first.size),
                                             value_text(quantity.unit(), last.value), rounded_amount(last.size));
            for (const auto* row : path->rows) rows.emplace_back(label_of(*path), row);
            list.insert(list.end(), path->rows.begin(), path->rows.end());
        }
        in_tables.insert(list.begin(), list.end());
        chart.levels = attained(family, quantity);
        for (auto& peak : peaks_of(list, quantity)) chart.levels.push_back(std::move(peak));
        html.add("{}", figures.with(chart, {intervals_words(list)}, table_of(chart.title, rows, quantity), run));
    }

    // At the size that most mechanisms were measured at; the largest of several.
    std::optional<double> common_size() const {
        std::map<double, std::set<std::string>> mechanisms;
        for (const auto* row : family.rows())
            if (has_value(*row)) mechanisms[page::size_of(*row).value_or(0)].insert(row->benchmark);
        std::optional<double> best;
        for (const auto& [size, names] : mechanisms)
            if (!best || names.size() >= mechanisms[*best].size()) best = size;
        return best;
    }

    bool is_faster(const RowSummary& one, const RowSummary& other) const {
        return quantity.rate ? quantity.of(one) > quantity.of(other) : quantity.of(one) < quantity.of(other);
    }

    void mechanisms() {
        if (role_of(family.paths.front().rows.front()->benchmark).unlike) return;
        const auto size = common_size();
        std::map<std::pair<Clock, std::string>, std::pair<const RowSummary*, const Path*>> best;
        std::size_t sets = 0;
        for (const auto& path : family.paths)
            for (const auto* row : path.rows) {
                if (!has_value(*row) || page::size_of(*row).value_or(0) != size) continue;
                if (!quantity.rate && row->has_rate_only()) continue;
                ++sets;
                auto& [fastest, of] = best[{row->clock, row->benchmark}];
                if (!fastest || is_faster(*row, *fastest)) std::tie(fastest, of) = std::pair(row, &path);
            }
        if (best.size() < 2) return;
        std::vector<std::pair<const RowSummary*, const Path*>> rows;
        for (const auto& one : best) rows.push_back(one.second);
        std::stable_sort(rows.begin(), rows.end(), [&](const auto& one, const auto& other) {
            if (one.first->clock != other.first->clock) return one.first->clock < other.first->clock;
            return is_faster(*one.first, *other.first);
        });
        const auto at = *size > 0 ? " at " + exact_amount(static_cast<std::int64_t>(*size)) : "";
        bars(rows, "mechanisms" + at,
             sets > best.size() ? fmt::format("The fastest of each mechanism's parameter sets, {} in all.", sets) : "");
    }

    void bars(const std::vector<std::pair<const RowSummary*, const Path*>>& rows, const std::string& what,
              const std::string& chosen) {
        RowChart chart{.title = title_of(family, what), .axis = quantity.name(), .unit = quantity.unit()};
        std::vector<std::pair<std::string, const RowSummary*>> cells;
        std::vector<double> values;
        RowList list;
        for (const auto& [row, path] : rows) {
            cells.emplace_back(label_of(*path), row);
            list.push_back(row);
            if (chart.rows.size() == most_rows) continue;
            values.push_back(quantity.of(*row));
            const auto share =
                quantity.rate && row->percent_of_peak ? fmt::format(", {:.1f} %", *row->percent_of_peak) : "";
            chart.rows.push_back(
                {.group = std::string(word(row->clock)) + " clock",
                 .label = path->label,
                 .values = {values.back()},
                 .interval = quantity.interval_of(*row),
                 .note = (quantity.rate ? gigabytes_text(values.back()) : seconds_text(values.back())) + share,
                 .mark = by_host(*path) ? Mark::hollow_bar : Mark::bar});
        }
        in_tables.insert(list.begin(), list.end());
        chart.levels = peaks_of(list, quantity);
        for (const auto& level : chart.levels) values.push_back(level.value);
        chart.scale = scale_for(values);
        if (quantity.rate) chart.scale = {0, *std::max_element(values.begin(), values.end()) * 1.03, false};
        chart.description = fmt::format("Fastest: {}, {}. ", label_of(*rows.front().second),
                                        value_text(quantity.unit(), quantity.of(*rows.front().first)));
        const auto cut = rows.size() > most_rows ? fmt::format("The first {} of {}.", most_rows, rows.size()) : "";
        const auto share =
            quantity.unit() == Unit::rate ? "Beside each bar: GB/s, and the share of the peak where one is known." : "";
        html.add("{}", figures.with(chart, {chosen, cut, share, intervals_words(list)},
                                    table_of(chart.title, cells, quantity), run));
    }

    // What a table hides among many numbers is said above it.
    void pairs(const PairMatrix& matrix) {
        if (matrix.cells.size() < 2) return;
        std::vector<std::string> words;
        for (auto& one : {matrix.extremes(), matrix.broken()})
            if (!one.empty()) words.push_back(one);
        const auto numbers = matrix.numbers();
        Table table{matrix.name, {{"from \\ to", false}}, matrix.lines()};
        for (std::size_t at = 0; at < numbers.size(); ++at) {
            table.columns.push_back({numbers[at]});
            table.rows[at].insert(table.rows[at].begin(), numbers[at]);
        }
        html.add("{}", figures.open_table(matrix.name, words, table, run));
    }

    // Rows that no figure shows: of one size, slower than the best of their mechanism, or without a valid time.
    void others() {
        std::vector<std::pair<std::string, const RowSummary*>> rows;
        for (const auto& path : family.paths)
            for (const auto* row : path.rows)
                if (!in_tables.contains(row)) rows.emplace_back(label_of(path), row);
        if (rows.empty()) return;
        const auto name = title_of(family, in_tables.empty() ? "measured rows" : "other rows");
        html.add("{}", figures.table(name, {}, table_of(name, rows, quantity), run));
    }

    const Family& family;
    const std::string& run;
    Figures& figures;
    const Redaction& hidden;
    Html html;
    Quantity quantity;
    std::set<const RowSummary*> in_tables{};
};

}  // namespace

Html figures_of(const Family& family, const std::vector<PathFit>& fits, const std::string& run, Figures& figures,
                const Redaction& redaction) {
    return FamilyFigures(family, run, figures, redaction).all(fits);
}

}  // namespace tocuda::page
