// tocuda, Apache-2.0.
// Rows of measurements as the figures show them: what is drawn of a row, and its cells in a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/summary.hpp"
#include "report/chart.hpp"
#include "report/figure.hpp"

namespace tocuda::page {

// What is drawn of the rows of one chart: a rate in one of the two ways of counting bytes or of operations, or else the
// time.
struct Quantity {
    bool rate = true;
    Counted counted = Counted::one_way;
    bool items = false;
    bool cycles = false;  // were counted beside the time
    bool tail = false;    // operations were timed alone
    bool ranks = false;   // each GPU that takes part was timed

    Unit unit() const { return !rate ? Unit::seconds : items ? Unit::operations : Unit::rate; }
    std::string name() const;  // "GB/s, payload"
    double of(const RowSummary& row) const;
    std::optional<Range> interval_of(const RowSummary& row) const;
};

using RowList = std::vector<const RowSummary*>;

bool has_value(const RowSummary& row);

// What another tool printed, with no more digits than it can mean and without an exponent.
std::string printed_text(double value);

// Memory is judged by the bytes touched, everything else by those that were asked for.
Quantity quantity_of(const RowList& rows);

// Returns the peaks of these rows, each once, as lines of a chart of this quantity.
std::vector<ChartLevel> peaks_of(const RowList& rows, const Quantity& quantity);

std::optional<double> size_of(const RowSummary& row);

std::vector<Column> columns_for(const Quantity& quantity, bool with_processes);
// `label`: the mechanism.
std::vector<std::string> cells_of(const RowSummary& row, const std::string& label, const Quantity& quantity,
                                  bool with_processes);

}  // namespace tocuda::page
