// tocuda, Apache-2.0.
// What `compare --fleet` and `compare --history` print beside tables.
#pragma once

#include <string>

#include "command/paper.hpp"
#include "model/fleet_report.hpp"
#include "model/history_report.hpp"

namespace tocuda {

// `all`: every row that stands out; otherwise the worst of each GPU.
std::string fleet_words(const FleetReport& report, bool all, const Paper& paper);
std::string history_words(const HistoryReport& report, const Paper& paper);

}  // namespace tocuda
