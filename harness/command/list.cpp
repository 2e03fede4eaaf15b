// tocuda, Apache-2.0.
// `tocuda list`: a line each, with what each needs and whether this machine has it.
#include <fmt/core.h>

#include <algorithm>

#include "command/arguments.hpp"
#include "command/complaint.hpp"
#include "command/listing.hpp"
#include "command/paper.hpp"
#include "command/selection.hpp"

namespace tocuda {
namespace {

void print_line(const Listed& listed, const Paper& paper) {
    constexpr std::size_t runs_column = 36;
    constexpr std::size_t summary_column = 46;
    const bool fits = columns_of(listed.scenario.name) < runs_column;
    if (!fits) fmt::print("{}\n", wrap(listed.scenario.name, 0, 2));
    const auto head = pad(pad(fits ? listed.scenario.name : "", runs_column - 1) + " " + listed.runnable, summary_column - 1) + " ";
    fmt::print("{}{}\n", head, wrap(listed.scenario.summary, summary_column, summary_column));
    if (listed.runnable == "no") fmt::print("{}\n", paper.faint(std::string(4, ' ') + wrap(listed.because, 4, 4)));
}

void print_left_out(const Catalogue& catalogue) {
    for (const auto& worker : catalogue.workers)
        if (!worker.trouble.empty()) fmt::print("{}\n", wrap("! " + worker.name + " " + worker.trouble, 0, 2));
    for (const auto& left_out : catalogue.left_out) fmt::print("{}\n", wrap("left out: " + left_out, 0, 2));
}

}  // namespace

int list_verb(const Words& words) {
    Arguments arguments("list", "Scenarios and benchmarks, and whether this machine can run them.", {"", "environment/ 000-04"});
    std::vector<std::string> patterns;
    bool as_json = false;
    arguments.option("PATTERN", patterns, "a name, a folder, a glob or a claim id");
    arguments.flag("--json", as_json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;

    const auto catalogue = load_catalogue(worker_folders());
    const auto benchmarks = select_benchmarks(catalogue, patterns);
    const auto selected = select(catalogue, patterns);
    if (const auto* wrong = std::get_if<std::string>(&selected); wrong && benchmarks.empty()) {
        complain(fmt::format("tocuda list: {}", *wrong));
        return usage;
    }
    // A pattern may name benchmarks alone.
    const auto* scenarios = std::get_if<std::vector<Selected>>(&selected);
    const auto listing = list_for_this_machine(scenarios ? *scenarios : std::vector<Selected>{});
    if (as_json) {
        fmt::print("{}\n", list_document(listing, benchmarks));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    fmt::print("{}\n", paper.faint(pad(pad("scenario", 36) + "runs here", 46) + "what it does"));
    for (const auto& listed : listing) print_line(listed, paper);
    if (!benchmarks.empty()) fmt::print("\n{}\n", paper.faint(pad(pad("benchmark", 36) + "clock", 46) + "what it measures"));
    for (const auto& benchmark : benchmarks)
        fmt::print("{} {}\n", pad(pad(benchmark.name, 35) + " " + std::string(word(benchmark.clock)), 45), wrap(benchmark.summary, 46, 46));
    print_left_out(catalogue);
    return as_expected;
}

}  // namespace tocuda
