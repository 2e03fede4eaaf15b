// tocuda, Apache-2.0.
// What a PATTERN names: a scenario (with its family or without), a family, a shell glob or a claim.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "command/catalogue.hpp"

namespace tocuda {

struct Selected {
    const Worker* worker;
    const Scenario* scenario;
};

// The scenarios that any of the patterns names (all, for none), in the order of their names; or, for a pattern that names nothing, a
// sentence that says so and what may have been meant.
std::variant<std::vector<Selected>, std::string> select(const Catalogue& catalogue, const std::vector<std::string>& patterns);

// The benchmarks that any of the patterns names (all, for none).
std::vector<Benchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns);

bool names(const std::string& pattern, const Scenario& scenario);

}  // namespace tocuda
