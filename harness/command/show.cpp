// tocuda, Apache-2.0.
// `tocuda show NAME`: prints a claim, its source, what is observed, what decides, and the last result on this machine;
// or a benchmark.
#include <fmt/core.h>

#include <algorithm>

#include "command/arguments.hpp"
#include "command/complaint.hpp"
#include "command/last_seen.hpp"
#include "command/listing.hpp"
#include "command/paper.hpp"
#include "command/selection.hpp"
#include "command/show_benchmark.hpp"
#include "command/shown_scenario.hpp"

namespace tocuda {
namespace {

void print_claim(std::vector<Listed> listing, const std::string& id, const std::string& folder, const Paper& paper) {
    const auto& claims = listing.front().scenario.claims;
    const auto claim = std::find_if(claims.begin(), claims.end(), [&](const Claim& one) { return one.id == id; });
    if (claim != claims.end()) fmt::print("{}{}", claim_text(*claim, paper), source_text(id, paper));
    const auto detail = listing.size() > 1 ? Detail::one_claim_of_several : Detail::one_claim;
    for (auto& listed : listing) {
        auto last = last_seen(folder, listed.scenario.name);
        keep_claim(listed.scenario, id);
        keep_claim(last, id);
        fmt::print("\n{}", scenario_text(listed, last, detail, paper));
    }
    if (listing.size() > 1)
        fmt::print("\nfor a scenario in full, give its name: `tocuda show {}`\n", listing.front().scenario.name);
}

void print_scenarios(const std::vector<Listed>& listing, const std::string& folder, const Paper& paper) {
    for (const auto& listed : listing) {
        if (&listed != &listing.front()) fmt::print("\n");
        fmt::print("{}", scenario_text(listed, last_seen(folder, listed.scenario.name), Detail::whole, paper));
    }
}

void print_document(const std::vector<Listed>& listing, const std::vector<ListedBenchmark>& benchmarks,
                    const std::string& folder) {
    if (listing.empty()) {
        fmt::print("{}\n",
                   show_document(benchmarks.front(), last_measured(folder, benchmarks.front().benchmark.name).rows));
        return;
    }
    std::vector<Shown> shown;
    for (const auto& listed : listing) shown.push_back({listed, last_seen(folder, listed.scenario.name).rows});
    fmt::print("{}\n", show_document(shown));
}

}  // namespace

int show_verb(const Words& words) {
    Arguments arguments("show", "Show a scenario, claim or benchmark and its last result here.",
                        {"dtype/double_move", "000-04 --json"});
    std::string name;
    std::string folder = "results/local";
    bool as_json = false;
    arguments.option("NAME", name, "a scenario, a claim id or a benchmark", "", Arguments::Presence::required);
    arguments.flag("--json", as_json, "one document on stdout");
    arguments.option("--output", folder, "the folder of result files", "DIR");
    if (const auto code = arguments.parse(words)) return *code;

    const auto catalogue = load_catalogue(worker_folders());
    const auto chosen = select(catalogue, {name});
    const auto* selected = std::get_if<std::vector<Selected>>(&chosen);
    const auto benchmarks = list_for_this_machine(select_benchmarks(catalogue, {name}));
    if (!selected && benchmarks.empty()) {
        complain("tocuda show: " + nothing_at_all_named(catalogue, name));
        return usage;
    }
    const auto listing = list_for_this_machine(selected ? *selected : std::vector<Selected>{});
    if (as_json) {
        print_document(listing, benchmarks, folder);
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    if (!listing.empty() && !selected->front().claims.empty()) print_claim(listing, name, folder, paper);
    else print_scenarios(listing, folder, paper);
    if (!listing.empty() && !benchmarks.empty()) fmt::print("\n");
    for (const auto& listed : benchmarks) {
        print_benchmark(listed, folder, paper);
        if (&listed != &benchmarks.back()) fmt::print("\n");
    }
    return as_expected;
}

}  // namespace tocuda
