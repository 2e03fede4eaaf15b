// tocuda, Apache-2.0.
// Takes back answers that starts cannot give because they are not independent. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/change_report.hpp"

namespace tocuda {

// The same start cannot differ between the sides. `same_starts` are sorted.
void withhold_from_same_starts(AnsweredRow& one, const std::vector<std::string>& same_starts);

// More starts without noise would repeat the same times.
void say_what_lacks_noise(ChangeReport& report);

}  // namespace tocuda
