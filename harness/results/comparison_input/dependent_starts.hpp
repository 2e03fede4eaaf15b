// tocuda, Apache-2.0.
// Takes back answers that starts cannot give because they are not independent. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/change_report.hpp"

namespace tocuda {

// The same start cannot differ between the sides. `same_starts` are sorted.
void withhold_from_same_starts(AnsweredRow& one, const std::vector<std::string>& same_starts);

// Nothing tells the starts of imported files apart whose host is not known: they may be of several.
void withhold_without_host(AnsweredRow& one, const ChangeReport& report);

// More starts without noise would repeat the same times.
void say_what_lacks_noise(ChangeReport& report);

}  // namespace tocuda
