// tocuda, Apache-2.0.
// The sentence of `tocuda compare NEW`: whether a machine is as the recorded one.
#pragma once

#include <string>

#include "model/change_report.hpp"

namespace tocuda {

// "normal for NVIDIA H200, driver 580.95.05: none of 40 rows slower; 86 verdicts as recorded"
std::string normal_words(const ChangeReport& report, const std::string& machine);

}  // namespace tocuda
