// tocuda, Apache-2.0.
// What `compare` does where it is not given two sides: a fleet, a history, a calibration. Each returns the exit code.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "command/compare_options.hpp"
#include "command/compared_files.hpp"
#include "model/comparison.hpp"

namespace tocuda {

int compare_fleet(const CompareOptions& options);
int compare_history(const CompareOptions& options);
int compare_calibration(const CompareOptions& options);

// The warnings of what was read, each once; said on standard error unless nobody wants them.
std::vector<std::string> warnings_of(const std::vector<const ReadFiles*>& read, const CompareOptions& options);
// Says what is wrong with a file that could not be read; whether there is one.
bool is_unreadable(const ReadFiles& read);
ComparisonRules rules_of(const CompareOptions& options);

}  // namespace tocuda
