// tocuda, Apache-2.0.
// What stands around the table of `compare`: what is compared, claims, rows without a counterpart, totals.
#pragma once

#include <string>

#include "command/paper.hpp"
#include "model/change_report.hpp"

namespace tocuda {

std::string simulated_words(const Paper& paper);
std::string compared_words(const ChangeReport& report, const Paper& paper);  // files, starts, GPU, attribution
std::string claim_words(const ChangeReport& report, const Paper& paper);
std::string unpaired_words(const ChangeReport& report);
std::string total_words(const ChangeReport& report);

}  // namespace tocuda
