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
    std::vector<std::string> claims{};  // only the variants that carry one of these; empty for all of them

    bool takes(const Variant& variant) const;
};

// The scenarios that any of the patterns names (all, for none), in the order of their names; or, for a pattern that
// names nothing, a sentence that says so and what may have been meant.
std::variant<std::vector<Selected>, std::string> select(const Catalogue& catalogue,
                                                        const std::vector<std::string>& patterns);

struct SelectedBenchmark {
    const Worker* worker;
    const Benchmark* benchmark;
};

// The benchmarks that any of the patterns names (all, for none), in the order of their names.
std::vector<SelectedBenchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns);

// By its name, its family or a glob; not by a claim.
bool names(const std::string& pattern, const Scenario& scenario);
bool carries(const Scenario& scenario, const std::string& claim);
// Names, last words and folders: what a pattern may have been meant to be.
std::vector<std::string> names_of_benchmarks(const Catalogue& catalogue);
// That a pattern names nothing, neither scenario nor benchmark, and what may have been meant.
std::string nothing_at_all_named(const Catalogue& catalogue, const std::string& pattern);
// A benchmark by its name, its last word, a folder of it, or a glob.
bool names_benchmark(const std::string& pattern, const Benchmark& benchmark);

}  // namespace tocuda
