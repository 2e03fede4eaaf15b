// tocuda, Apache-2.0.
// `tocuda list`: prints a line per scenario and benchmark, with whether this machine can run it and, if not, why.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "execution/listing.hpp"
#include "printing/shown_scenario.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

void print_left_out(const Catalogue& catalogue, const Paper& paper) {
    for (const auto& worker : catalogue.workers)
        if (const auto& why = worker.trouble.empty() ? worker.unmet : worker.trouble; !why.empty())
            fmt::print("{}\n", wrap("! " + worker.name + " " + why, 0, 2, paper.columns()));
    for (const auto& left_out : catalogue.left_out)
        fmt::print("{}\n", wrap("not built: " + left_out, 0, 2, paper.columns()));
}

// For completion by the shell.
void print_names(const Found& found) {
    std::set<std::string> names;
    for (const auto& one : found.scenarios) {
        names.insert(one.scenario->name);
        names.insert(one.claims.begin(), one.claims.end());
        if (!one.claims.empty()) continue;  // found by these alone
        names.insert(family(*one.scenario) + "/");
        for (const auto& claim : one.scenario->claims) names.insert(claim.id);
    }
    for (const auto& one : found.benchmarks) names.insert(one.benchmark->name);
    for (const auto& name : names) fmt::print("{}\n", name);
}

// What the claims say by which scenarios were found, or that were found themselves.
std::string claims_found(const Found& found, const Paper& paper) {
    std::map<std::string, std::string> texts;
    for (const auto& claim : found.claims) texts[claim.id] = claim_text(claim, paper);
    for (const auto& one : found.scenarios)
        for (const auto& claim : one.scenario->claims)
            if (std::ranges::find(one.claims, claim.id) != one.claims.end()) texts[claim.id] = claim_text(claim, paper);
    std::string text;
    for (const auto& [id, said] : texts) text += said;
    return text.empty() ? "" : text + "\n";
}

}  // namespace

int list_verb(const Words& words) {
    Arguments arguments("list", "List scenarios and benchmarks, and whether they can run here.",
                        {"", "environment/ 000-04"});
    std::vector<std::string> patterns;
    bool as_json = false;
    bool only_names = false;
    arguments.option("PATTERN", patterns, "a name, folder, glob or claim id; or words to search for");
    arguments.flag("--names", only_names, "only the names, one a line");
    arguments.flag("--json", as_json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;

    if (only_names && as_json) return arguments.refuse("--names and --json exclude each other");
    const auto catalogue = load_catalogue(worker_folders());
    const auto found = find_all(catalogue, patterns);
    if (!found) return arguments.refuse(found.error().what);
    if (only_names) {
        print_names(*found);
        return as_expected;
    }
    const auto scenarios = list_for_this_machine(found->scenarios);
    const auto benchmarks = list_for_this_machine(found->benchmarks);
    if (as_json) {
        print_document(list_document(scenarios, benchmarks));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    if (found->only_near) fmt::print("{}\n\n", wrap(nearest_heading, 0, 2, paper.columns()));
    fmt::print("{}{}", claims_found(*found, paper), listing_table(scenarios, benchmarks, paper));
    print_left_out(catalogue, paper);
    return as_expected;
}

}  // namespace tocuda
