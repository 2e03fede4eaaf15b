// tocuda, Apache-2.0.
#include "printing/normal_words.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "terminal/quantities.hpp"

namespace tocuda {

// An undecided row that is so much slower so far is no reason to say "perhaps normal".
constexpr double far = 0.05;

std::string normal_words(const ChangeReport& report, const std::string& machine) {
    int valid = 0;
    int slower = 0;
    int likely = 0;  // slower
    int undecided = 0;
    double slowest = 0;  // of the undecided ones
    for (const auto& [row, change, before, after, rate, clock, flags, of_gpus] : report.rows) {
        valid += change.verdict != ChangeVerdict::invalid;
        slower += change.verdict == ChangeVerdict::slower;
        likely += change.verdict == ChangeVerdict::likely_slower;
        if (change.verdict != ChangeVerdict::undecided) continue;
        ++undecided;
        slowest = std::max(slowest, change.change.value_or(0));
    }
    const auto verdicts = report.claims.verdicts.size();
    const auto texts = std::ssize(report.claims.texts);
    std::vector<std::string> parts;
    if (slower > 0) parts.push_back(fmt::format("{} of {} slower", slower, counted(valid, "row")));
    if (likely > 0) parts.push_back(fmt::format("{} of {} likely slower", likely, counted(valid, "row")));
    if (slower + likely == 0 && valid > undecided)
        parts.push_back(fmt::format("none of {} slower", counted(valid - undecided, "row")));
    if (undecided > 0)
        parts.push_back(
            fmt::format("more starts are needed to decide {}, {}", counted(undecided, "row"),
                        slowest > 0 ? "so far up to " + percent_text(slowest) + " slower" : "so far none slower"));
    if (verdicts > 0) parts.push_back(fmt::format("{} of {} verdicts changed", verdicts, report.claims.compared));
    else if (report.claims.compared > 0) parts.push_back(counted(report.claims.compared, "verdict") + " as recorded");
    const auto answer = slower > 0 || verdicts > 0 ? "not normal"
                        : likely > 0               ? "likely not normal"
                        : slowest > far            ? "not known to be normal"
                        : undecided > 0            ? "perhaps normal"
                                                   : "normal";
    // Texts alone are no reason: they differ if LibTorch does, whatever the machine.
    const std::string except = texts > 0 ? " except for " + counted(texts, "error text") : "";
    return fmt::format("{} for {}{}: {}", answer, machine, except, fmt::join(parts, "; "));
}

}  // namespace tocuda
