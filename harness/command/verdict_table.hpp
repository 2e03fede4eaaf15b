// tocuda, Apache-2.0.
// Formats what `run` and `judge` print at the end: a table with a line per scenario, the unexpected verdicts, the
// totals.
#pragma once

#include <string>
#include <vector>

#include "command/paper.hpp"
#include "model/row.hpp"
#include "model/tally.hpp"

namespace tocuda {

std::string verdict_table(const std::vector<Row>& rows, const Paper& paper);
std::string unexpected_rows(const std::vector<Row>& rows, const Paper& paper);
std::string totals_line(const Tally& tally);

}  // namespace tocuda
