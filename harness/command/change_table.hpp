// tocuda, Apache-2.0.
// What `compare` prints: the table, and the words around it.
#pragma once

#include <string>

#include "command/paper.hpp"
#include "model/change_report.hpp"
#include "model/fleet_report.hpp"
#include "model/history_report.hpp"

namespace tocuda {

// What most deserves a look first, and why nothing firmer can be said of the rest, with what would decide it.
// `all`: rows that are the same, and all of the undecided.
std::string change_table(const ChangeReport& report, bool all, const Paper& paper);

std::string simulated_words(const Paper& paper);
std::string compared_words(const ChangeReport& report, const Paper& paper);  // files, starts, GPU, attribution
std::string claim_words(const ChangeReport& report, const Paper& paper);
std::string unpaired_words(const ChangeReport& report);
std::string total_words(const ChangeReport& report);

// For --fleet and --history; `all`: every row that stands out; otherwise the worst of each GPU.
std::string fleet_words(const FleetReport& report, bool all, const Paper& paper);
std::string history_words(const HistoryReport& report, const Paper& paper);

}  // namespace tocuda
