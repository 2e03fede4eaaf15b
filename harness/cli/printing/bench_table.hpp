// tocuda, Apache-2.0.
// The table that `bench` prints at its end: rows by benchmark, the fits over their sizes, and a legend of the marks.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

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
