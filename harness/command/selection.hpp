// tocuda, Apache-2.0.
// Matches a PATTERN: the name of a scenario (with or without its family), a family, a shell glob or a claim id.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "command/catalogue.hpp"

namespace tocuda {

struct Selected {
    const Worker* worker;
    const Scenario* scenario;
    std::vector<std::string> claims{};  // only the variants with one of these; empty: all variants

    bool takes(const Variant& variant) const;
};

// Returns the scenarios that match any of the patterns (all if there are none), sorted by name; or, if a pattern
// matches nothing, an error message with the nearest name.
std::variant<std::vector<Selected>, std::string> select(const Catalogue& catalogue,
                                                        const std::vector<std::string>& patterns);

struct SelectedBenchmark {
    const Worker* worker;
    const Benchmark* benchmark;
};

// Returns the benchmarks that match any of the patterns (all if there are none), sorted by name.
std::vector<SelectedBenchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns);

// Matches by name, family or glob; not by claim.
bool names(const std::string& pattern, const Scenario& scenario);
bool carries(const Scenario& scenario, const std::string& claim);
// Returns names, their last parts and their folders: what a misspelt pattern may have meant.
std::vector<std::string> names_of_benchmarks(const Catalogue& catalogue);
// Returns the error message for a pattern that matches neither a scenario nor a benchmark, with the nearest name.
std::string nothing_at_all_named(const Catalogue& catalogue, const std::string& pattern);
// Matches a benchmark by its name, its last part, one of its folders, or a glob.
bool names_benchmark(const std::string& pattern, const Benchmark& benchmark);

}  // namespace tocuda
