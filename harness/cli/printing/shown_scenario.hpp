// tocuda, Apache-2.0.
// Formats what `tocuda show` and `tocuda list` print of scenarios and benchmarks, so that all of it fits on a screen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "json_lines/documents.hpp"
#include "printing/last_seen.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

inline constexpr std::size_t entry_column = 12;

// Formats a label with a wrapped text beside it.
std::string entry(const std::string& label, const std::string& text, const Paper& paper);

// How much is printed. A requested claim is printed once, above; if several scenarios have it, each is printed briefly.
enum class Detail { whole, one_claim, one_claim_of_several };

// Removes everything that concerns other claims.
void keep_claim(Scenario& scenario, const std::string& id);
void keep_claim(LastSeen& last, const std::string& id);

std::string claim_text(const Claim& claim, const Paper& paper);
std::string source_text(const std::string& claim, const Paper& paper);  // the document that makes the claim
std::string scenario_text(const Listed& listed, const LastSeen& last, Detail detail, const Paper& paper);

// Prints a benchmark for `tocuda show`: what is measured, how, its parameters, and the last result; `results` is where
// those of this machine are.
void print_benchmark(const ListedBenchmark& listed, const LastMeasured& last, const std::filesystem::path& results,
                     const Paper& paper);

// Formats scenarios and benchmarks, a line each, for `list` and for what `show` finds.
std::string listing_table(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                          const Paper& paper);

}  // namespace tocuda
