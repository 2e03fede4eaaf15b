// tocuda, Apache-2.0.
// Matches a PATTERN: the name of a scenario (with or without its family), a family, a shell glob or a claim id.
#pragma once

#include <string>
#include <vector>

#include "model/problem.hpp"
#include "request/catalogue.hpp"

namespace tocuda {

struct Selected {
    const Worker* worker;
    const Scenario* scenario;
    std::vector<std::string> claims{};  // only the variants with one of these; empty: all variants

    bool takes(const Variant& variant) const;
};

// Returns the scenarios that match any of the patterns, sorted by name; or, if a pattern matches nothing, an error
// message with the nearest name. Without patterns: all but the documents' examples.
Expected<std::vector<Selected>> select(const Catalogue& catalogue, const std::vector<std::string>& patterns);

struct SelectedBenchmark {
    const Worker* worker;
    const Benchmark* benchmark;
};

std::vector<Selected> all_scenarios(const Catalogue& catalogue);  // sorted by name

// Returns the benchmarks that match any of the patterns (all if there are none), sorted by name.
std::vector<SelectedBenchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns);

// What `list` and `show` print.
struct Found {
    std::vector<Selected> scenarios{};
    std::vector<SelectedBenchmark> benchmarks{};
    std::vector<Claim> claims{};  // that speak of all the words that were searched for, or of all but one of several
    bool searched = false;        // the words are no patterns
    bool only_near = false;       // nothing mentions all of them
};

// Printed above what is only near.
inline constexpr auto nearest_heading =
    "nothing mentions all of these words; the closest (an error text is explained by `tocuda doctor --message TEXT`):";

// Returns what matches any of the patterns, scenarios or benchmarks. If one matches nothing, all words are searched for
// in names, claims and sentences. The problem names what may have been meant.
Expected<Found> find_all(const Catalogue& catalogue, const std::vector<std::string>& words);

// Matches by name, family or glob; not by claim.
bool names(const std::string& pattern, const Scenario& scenario);
bool carries(const Scenario& scenario, const std::string& claim);
// Return names, their families or folders, and their last parts: what a misspelt pattern may have meant.
std::vector<std::string> names_of_scenarios(const Catalogue& catalogue);  // and claims
std::vector<std::string> names_of_benchmarks(const Catalogue& catalogue);
// Matches a benchmark by its name, its last part, one of its folders, or a glob.
bool names_benchmark(const std::string& pattern, const std::string& benchmark);

// Finds claims, scenarios and benchmarks by words that people use: in names, claims and sentences, with synonyms.

// Returns what speaks of all the words, best first. If nothing does, returns the five that come nearest.
Found search(const Catalogue& catalogue, const std::vector<std::string>& typed);

// Returns the words that names, claims and sentences use, without those too short to be mistyped alone.
std::vector<std::string> words_of_all_sentences(const Catalogue& catalogue);

}  // namespace tocuda
