// tocuda, Apache-2.0.
// The table that `bench` ends in: rows by benchmark, what was fitted through their sizes, and what the marks mean.
#pragma once

#include <string>
#include <vector>

#include "command/paper.hpp"
#include "model/summary.hpp"

namespace tocuda {

std::string bench_table(const MeasuredRun& measured, const Paper& paper);

// What went wrong, a line each: rows, and single processes of rows that are otherwise sound.
std::string bench_findings(const std::vector<RowSummary>& rows, const Paper& paper);
bool is_finding(Status status);
bool has_findings(const std::vector<RowSummary>& rows);

}  // namespace tocuda
