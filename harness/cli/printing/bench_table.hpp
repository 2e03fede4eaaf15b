// tocuda, Apache-2.0.
// The table that `bench` prints at its end: rows by benchmark, the fits over their sizes, and a legend of the marks.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// What the columns are, for all tables.
inline constexpr auto columns_legend =
    "GB/s: payload, each byte once, all directions together. 95 %: confidence interval of the median over n processes "
    "(of the rate; of the time where no bytes move). Fewer than 6 processes: none; 'exact': all agree. ";
inline constexpr auto see_legend =
    "see%: the smallest change that a comparison within one start can detect with as many processes and rows.";

// Whether all processes took the same time, so that there is no interval to be shown.
bool is_exact(const RowSummary& row);

std::string bench_table(const MeasuredRun& measured, const Paper& paper);

// What went wrong, one line each: whole rows, and single processes of rows that are otherwise sound.
std::string bench_findings(const std::vector<RowSummary>& rows, const Paper& paper);
bool is_finding(Status status);
bool has_findings(const std::vector<RowSummary>& rows);

// A row for each; empty where there is none.
std::string tax_table(const std::vector<FrameworkTax>& taxes, const Paper& paper);

}  // namespace tocuda
