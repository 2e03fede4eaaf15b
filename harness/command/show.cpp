// tocuda, Apache-2.0.
// `tocuda show NAME`: the claim, where it is made, what is observed, what decides, and what was last seen here.
#include <fmt/core.h>

#include <algorithm>

#include "command/arguments.hpp"
#include "command/complaint.hpp"
#include "command/last_seen.hpp"
#include "command/listing.hpp"
#include "command/paper.hpp"
#include "command/selection.hpp"
#include "command/show_benchmark.hpp"
#include "model/document.hpp"

namespace tocuda {
namespace {

std::string place_of(const Variant& variant) {
    std::string text;
    for (const auto& stand_in : variant.stand_ins) text += (text.empty() ? "" : ", ") + ("stand-in: " + stand_in);
    for (const auto& [name, value] : variant.environment)
        text += (text.empty() ? "" : ", ") + (value ? name + "=\"" + *value + "\"" : name + " not set");
    if (!variant.simulate.empty()) text += (text.empty() ? "" : ", ") + ("simulated GPUs of its own: " + variant.simulate);
    for (const auto& fault : variant.faults) text += ", fault: " + fault;
    return text.empty() ? "as the machine is" : text;
}

void print_claims(const Scenario& scenario, const Paper& paper) {
    for (const auto& claim : scenario.claims) {
        fmt::print("{}  {}\n", paper.strong(claim.id), wrap(claim.statement, claim.id.size() + 2, 8));
        fmt::print("        {}\n", paper.faint(wrap(source_of(claim.id), 8, 8)));
    }
}

// A name in bold and a text beside it; a name that is too long has a line of its own.
void print_entry(const std::string& name, const std::string& text, const Paper& paper) {
    constexpr std::size_t text_column = 16;
    const bool fits = name.size() + 4 <= text_column;
    fmt::print("  {}", paper.strong(fits ? pad(name, text_column - 2) : wrap(name, 2, 4)));
    if (!fits) fmt::print("\n{}", std::string(text_column, ' '));
    fmt::print("{}\n", wrap(text, text_column, text_column));
}

void print_variants(const Scenario& scenario, const Paper& paper) {
    fmt::print("\nvariants, and what is expected of each\n");
    for (const auto& variant : scenario.variants) {
        std::string expected;
        for (const auto& [claim, verdict] : variant.expected) expected += "; " + claim + " " + paper.word_of(verdict);
        print_entry(variant.name, place_of(variant) + expected, paper);
    }
}

void print_last(const LastSeen& last, const Paper& paper) {
    if (last.rows.empty()) {
        fmt::print("\nnothing is recorded of it here yet\n");
        return;
    }
    fmt::print("\nlast seen, {}\n", last.file.filename().string());
    std::vector<std::pair<std::string, std::string>> seen;  // what was said, and the variants that said it
    for (const auto& row : last.rows)
        for (const auto& claim : row.claims) {
            const auto said = claim.id + " " + paper.word_of(claim.verdict) + " (" + std::string(word(row.evidence.device)) + "): " + claim.because;
            const auto same = std::find_if(seen.begin(), seen.end(), [&](const auto& one) { return one.first == said; });
            if (same == seen.end()) seen.emplace_back(said, row.variant);
            else same->second += ", " + row.variant;
        }
    for (const auto& [said, variants] : seen) print_entry(variants, said, paper);
}

// Who asks for one claim is told of that one.
void keep_claim(Scenario& scenario, const std::string& id) {
    std::erase_if(scenario.claims, [&](const Claim& claim) { return claim.id != id; });
    for (auto& variant : scenario.variants) std::erase_if(variant.expected, [&](const auto& one) { return one.first != id; });
    std::erase_if(scenario.variants, [](const Variant& variant) { return variant.expected.empty(); });
}

void keep_claim(std::vector<Row>& rows, const std::string& id) {
    for (auto& row : rows) std::erase_if(row.claims, [&](const ClaimVerdict& claim) { return claim.id != id; });
}

bool is_claim(const Scenario& scenario, const std::string& id) {
    return std::any_of(scenario.claims.begin(), scenario.claims.end(), [&](const Claim& claim) { return claim.id == id; });
}

void print_scenario(Listed listed, LastSeen last, const std::string& asked, const Paper& paper) {
    if (is_claim(listed.scenario, asked)) {
        keep_claim(listed.scenario, asked);
        keep_claim(last.rows, asked);
    }
    fmt::print("{}: {}\n", paper.strong(listed.scenario.name), wrap(listed.scenario.summary, listed.scenario.name.size() + 2, 4));
    fmt::print("runs here: {}\n\n", wrap(listed.runnable + ", " + listed.because, 11, 4));
    print_claims(listed.scenario, paper);
    print_variants(listed.scenario, paper);
    print_last(last, paper);
}

}  // namespace

int show_verb(const Words& words) {
    Arguments arguments("show", "A scenario or benchmark in full, with what was last seen here.", {"dtype/double_move", "000-04 --json"});
    std::string name;
    std::string folder = "results/local";
    bool as_json = false;
    arguments.option("NAME", name, "a scenario, a claim id or a benchmark", "", Arguments::Presence::required);
    arguments.flag("--json", as_json, "one document on stdout");
    arguments.option("--output", folder, "the folder of results", "DIR");
    if (const auto code = arguments.parse(words)) return *code;

    const auto catalogue = load_catalogue(worker_folders());
    const auto selected = select(catalogue, {name});
    const auto* scenarios = std::get_if<std::vector<Selected>>(&selected);
    const auto benchmarks = list_for_this_machine(select_benchmarks(catalogue, {name}));
    if (!scenarios && benchmarks.empty()) {
        complain("tocuda show: " + nothing_at_all_named(catalogue, name));
        return usage;
    }
    const auto listing = list_for_this_machine(scenarios ? *scenarios : std::vector<Selected>{});
    if (as_json) {
        if (!listing.empty()) fmt::print("{}\n", show_document(listing.front(), last_seen(folder, listing.front().scenario.name).rows));
        else fmt::print("{}\n", show_document(benchmarks.front(), last_measured(folder, benchmarks.front().benchmark.name).rows));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    for (const auto& listed : listing) {
        print_scenario(listed, last_seen(folder, listed.scenario.name), name, paper);
        if (&listed != &listing.back() || !benchmarks.empty()) fmt::print("\n");
    }
    for (const auto& listed : benchmarks) {
        print_benchmark(listed, folder, paper);
        if (&listed != &benchmarks.back()) fmt::print("\n");
    }
    return as_expected;
}

}  // namespace tocuda
