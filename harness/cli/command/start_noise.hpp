// tocuda, Apache-2.0.
// `--start-noise`: how much starts are assumed to vary when nothing has changed; `--margin`: what is no change.
#pragma once

#include <string>

#include "comparison_input/paired_rows.hpp"
#include "model/problem.hpp"

namespace tocuda {

// Parses "0.2%", "0.2" or "FOLDER/=0.2%,OTHER/=1": the last that names a benchmark counts.
Expected<AssumedNoise> assumed_noise(const std::string& list);

// Parses "2%" or "2"; empty: the default margin.
Expected<ComparisonRules> rules_with_margin(const std::string& margin);

}  // namespace tocuda
