// tocuda, Apache-2.0.
// `tocuda show`: prints a claim, its source, what is observed, what decides, and the last result on this machine; or a
// benchmark; or a list of what was found.
#include <fmt/core.h>

#include <algorithm>

#include "command/shown_ticket.hpp"
#include "execution/listing.hpp"
#include "request/selection.hpp"
#include "tables/last_seen.hpp"
#include "tables/listing_table.hpp"
#include "tables/show_benchmark.hpp"
#include "tables/shown_scenario.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"

namespace tocuda {
namespace {

struct Asked {
    std::vector<std::string> words{};
    std::string folder = "results/local";
    bool ticket = false;
    bool json = false;
};

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

void print_in_full(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                   const std::string& folder, const Paper& paper) {
    for (const auto& listed : scenarios)
        fmt::print("{}{}", &listed == &scenarios.front() ? "" : "\n",
                   scenario_text(listed, last_seen(folder, listed.scenario.name), Detail::whole, paper));
    for (const auto& listed : benchmarks) {
        if (!scenarios.empty() || &listed != &benchmarks.front()) fmt::print("\n");
        print_benchmark(listed, folder, paper);
    }
}

std::string document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                     const std::string& folder) {
    std::vector<Shown> shown;
    for (const auto& listed : scenarios) shown.push_back({listed, last_seen(folder, listed.scenario.name).rows});
    std::vector<ShownBenchmark> measured;
    for (const auto& listed : benchmarks)
        measured.push_back({listed, last_measured(folder, listed.benchmark.name).rows});
    return show_document(shown, measured);
}

int show(const Asked& asked, const Found& found) {
    const auto scenarios = list_for_this_machine(found.scenarios);
    const auto benchmarks = list_for_this_machine(found.benchmarks);
    if (asked.json) {
        print_document(document(scenarios, benchmarks, asked.folder));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    if (found.searched && scenarios.size() + benchmarks.size() > 1)
        fmt::print("{}\none of them in full: `tocuda show {}`\n", listing_table(scenarios, benchmarks, paper),
                   scenarios.empty() ? benchmarks.front().benchmark.name : scenarios.front().scenario.name);
    else if (asked.words.size() == 1 && !scenarios.empty() && !found.scenarios.front().claims.empty())
        print_claim(scenarios, asked.words.front(), asked.folder, paper);
    else print_in_full(scenarios, benchmarks, asked.folder, paper);
    return as_expected;
}

}  // namespace

int show_verb(const Words& words) {
    Arguments arguments("show", "Show a scenario, claim or benchmark and its last result here.",
                        {"dtype/double_move", "000-04 --ticket"});
    Asked asked;
    arguments.option("NAME", asked.words, "a scenario, claim or benchmark; or words to find",
                     Arguments::Presence::required);
    arguments.flag("--ticket", asked.ticket, "the last result to paste; NAME may be a row's id");
    arguments.flag("--json", asked.json, "one document on stdout");
    arguments.option("--output", asked.folder, "the folder of result files", "DIR");
    if (const auto code = arguments.parse(words)) return *code;
    if (asked.ticket && asked.json) return arguments.refuse("--ticket and --json exclude each other");

    const auto catalogue = load_catalogue(worker_folders());
    if (asked.ticket) {
        const auto text = tickets(catalogue, asked.words, asked.folder);
        if (!text) return arguments.refuse(text.error().what);
        fmt::print("{}", *text);
        return as_expected;
    }
    const auto found = find_all(catalogue, asked.words);
    return found ? show(asked, *found) : arguments.refuse(found.error().what);
}

}  // namespace tocuda
