// tocuda, Apache-2.0.
// Formats what `run` and `judge` print at the end: where it ran, the totals, and a line for each claim with what the
// documents say and what was seen. The unexpected ones come last, where the eye rests.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"
#include "model/tally.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

using Statements = std::map<std::string, std::string>;  // by claim

// "NO GPU: libcuda.so.1 is missing. Seen on SIMULATED 2x8GiB unless marked [cpu]". `seconds`: 0 if unknown.
std::string where_it_ran(const RunLine& run, const std::vector<Row>& rows, double seconds, const Paper& paper);
std::string totals_line(const Tally& tally);

// A line for the claims of documents and one for those of today, if there are both.
std::string totals_by_source(const Tally& tally, const Paper& paper);
// The same; beneath it how many examples of documents ran, and those that did not end by themselves.
std::string totals_text(const std::vector<Row>& rows, const Tally& tally, const Paper& paper);
// With `screenful_of`, the files of these rows: what was unexpected or undecided, one line a family cut to two, and the
// command that shows the others. Otherwise all, or those with the verdict `only`.
std::string verdict_table(const std::vector<Row>& rows, const Statements& statements,
                          const std::optional<std::string>& screenful_of, const Paper& paper,
                          std::optional<Verdict> only = std::nullopt);
// The verdict that a person calls so, for --verdict; nullopt for an empty text.
Expected<std::optional<Verdict>> verdict_called(const std::string& text);
// Empty if nothing was unexpected.
std::string unexpected_claims(const std::vector<Row>& rows, const Statements& statements, const Paper& paper);

}  // namespace tocuda
