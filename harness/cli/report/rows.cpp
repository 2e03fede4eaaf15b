// tocuda, Apache-2.0.
#include "report/rows.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "printing/flag_words.hpp"
#include "terminal/quantities.hpp"

namespace tocuda::page {
namespace {

constexpr double microsecond = 1e-6;
constexpr const char* operations = "10^9 operations a second";

// Four digits, without an exponent.
std::string digits(double value) { return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value); }

std::string number_text(const Quantity& quantity, double value) {
    return quantity.rate ? gigabytes_text(value) : digits(value / microsecond);
}

std::string notes_of(const RowSummary& row) {
    std::string notes;
    if (row.status != Status::ok)
        notes = std::string(word(row.status)) + (row.because.empty() ? "" : ": " + row.because);
    if (row.imported)
        notes += (notes.empty() ? "" : "; ") + fmt::format("printed {} {}, {}", printed_text(row.imported->value),
                                                           row.imported->unit, row.imported->is);
    for (const auto& flag : row.flags) notes += (notes.empty() ? "" : "; ") + flag_in_words(flag);
    return notes;
}

}  // namespace

std::string printed_text(double value) {
    return value < 1e6 ? fmt::format("{:.6g}", value) : fmt::format("{:.0f}", value);
}

std::string Quantity::name() const {
    if (!rate) return "time";
    if (items) return operations;
    return counted == Counted::touched ? "GB/s, bytes touched" : "GB/s, payload";
}

double Quantity::of(const RowSummary& row) const {
    if (!rate) return row.median_seconds.value_or(0);
    if (items) return row.items_per_second.value_or(0);
    return (counted == Counted::touched ? row.bytes_per_second_touched : row.bytes_per_second_one_way).value_or(0);
}

std::optional<Range> Quantity::interval_of(const RowSummary& row) const {
    if (!row.interval || !rate) return row.interval;
    const auto count = static_cast<double>(items                         ? row.items
                                           : counted == Counted::touched ? row.bytes_touched
                                                                         : row.bytes_one_way);
    return Range{count / row.interval->high, count / row.interval->low};
}

bool has_value(const RowSummary& row) { return row.status == Status::ok && row.median_seconds.value_or(0) > 0; }

Quantity quantity_of(const RowList& rows) {
    Quantity quantity;
    quantity.cycles = std::ranges::any_of(rows, [](const RowSummary* row) { return row->cycles.has_value(); });
    quantity.tail = std::ranges::any_of(rows, [](const RowSummary* row) { return row->tail.has_value(); });
    quantity.ranks = std::ranges::any_of(rows, [](const RowSummary* row) { return row->ranks.has_value(); });
    const auto timed = [](const RowSummary* row) { return has_value(*row); };
    quantity.items = std::ranges::any_of(rows, timed) &&
                     std::ranges::all_of(rows, [&](const RowSummary* row) { return !timed(row) || row->items > 0; });
    if (quantity.items) return quantity;
    bool any_touched = false;
    bool any_one_way = false;
    for (const auto* row : rows) {
        const bool lacks_touched = row->bytes_touched <= 0 && !row->imported;
        if (has_value(*row) && (row->bytes_one_way <= 0 || lacks_touched)) quantity.rate = false;
        if (row->peak.bytes_per_second <= 0) continue;
        const bool touched = counted_by(row->peak, role_of(row->benchmark), !row->peer.empty()) == Counted::touched;
        (touched ? any_touched : any_one_way) = true;
    }
    if (any_touched && !any_one_way) quantity.counted = Counted::touched;
    return quantity;
}

std::vector<ChartLevel> peaks_of(const RowList& rows, const Quantity& quantity) {
    std::vector<ChartLevel> levels;
    std::set<std::pair<double, std::string>> known;
    for (const auto* row : rows) {
        const auto& peak = row->peak;
        if (!quantity.rate || peak.bytes_per_second <= 0 ||
            counted_by(peak, role_of(row->benchmark), !row->peer.empty()) != quantity.counted ||
            !known.emplace(peak.bytes_per_second, peak.source).second)
            continue;
        levels.push_back({fmt::format("peak {} GB/s: {}", gigabytes_text(peak.bytes_per_second), peak.source),
                          peak.bytes_per_second, "peak"});
    }
    return levels;
}

std::optional<double> size_of(const RowSummary& row) {
    const auto bytes = whole_if_any(row.parameters, "bytes");
    return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

std::vector<Column> columns_for(const Quantity& quantity, bool with_processes) {
    const auto unit = quantity.rate ? quantity.name() : "us";
    std::vector<Column> columns{{"mechanism", false}, {"size"}, {unit}, {"95 % from"}, {"to"}};
    if (quantity.rate) {
        columns.push_back({"% of peak"});
        columns.push_back({"median, us"});
    } else {
        columns.push_back({operations});
    }
    if (quantity.cycles) columns.push_back({"cycles"});
    if (quantity.tail) columns.insert(columns.end(), {{"p99, us"}, {"largest, us"}});
    if (quantity.ranks) columns.insert(columns.end(), {{"mean of all GPUs, us"}, {"slowest GPU, us"}});
    if (with_processes) columns.push_back({"processes"});
    columns.push_back({"notes", false});
    return columns;
}

std::vector<std::string> cells_of(const RowSummary& row, const std::string& label, const Quantity& quantity,
                                  bool with_processes) {
    const bool sound = has_value(row) && (quantity.rate || !row.has_rate_only());
    const auto interval = quantity.interval_of(row);
    std::vector<std::string> cells{label, size_text(row.parameters),
                                   sound ? number_text(quantity, quantity.of(row)) : "",
                                   sound && interval ? number_text(quantity, interval->low) : "",
                                   sound && interval ? number_text(quantity, interval->high) : ""};
    if (quantity.rate) {
        cells.push_back(row.percent_of_peak ? digits(*row.percent_of_peak) : "");
        cells.push_back(sound && !row.has_rate_only() ? digits(*row.median_seconds / microsecond) : "");
    } else {
        cells.push_back(sound && row.items_per_second ? gigabytes_text(*row.items_per_second) : "");
    }
    if (quantity.cycles) cells.push_back(sound && row.cycles ? digits(*row.cycles) : "");
    const auto microseconds = [&](std::optional<double> seconds) {
        return sound && seconds ? digits(*seconds / microsecond) : "";
    };
    if (quantity.tail) cells.push_back(microseconds(row.tail ? row.tail->p99 : std::nullopt));
    if (quantity.tail) cells.push_back(microseconds(row.tail ? std::optional(row.tail->largest) : std::nullopt));
    if (quantity.ranks) cells.push_back(microseconds(row.ranks ? std::optional(row.ranks->mean) : std::nullopt));
    if (quantity.ranks) cells.push_back(microseconds(row.ranks ? std::optional(row.ranks->slowest) : std::nullopt));
    if (with_processes) cells.push_back(std::to_string(row.processes));
    cells.push_back(notes_of(row));
    return cells;
}

}  // namespace tocuda::page
