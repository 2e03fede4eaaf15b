// tocuda, Apache-2.0.
// `tocuda list`: prints a line per scenario and benchmark, with whether this machine can run it and, if not, why.
#include <fmt/core.h>

#include <algorithm>

#include "command/arguments.hpp"
#include "command/complaint.hpp"
#include "command/listing.hpp"
#include "command/paper.hpp"
#include "command/selection.hpp"

namespace tocuda {
namespace {

template <class AnyListed>
void print_line(const std::string& name, const AnyListed& listed, const std::string& summary, const Paper& paper) {
    constexpr std::size_t runs_column = 36;
    constexpr std::size_t summary_column = 46;
    const bool fits = columns_of(name) < runs_column;
    if (!fits) fmt::print("{}\n", wrap(name, 0, 2));
    const auto head =
        pad(pad(fits ? name : "", runs_column - 1) + " " + (listed.runnable == "none" ? "no GPU" : listed.runnable),
            summary_column - 1) +
        " ";
    fmt::print("{}{}\n", head, wrap(summary, summary_column, summary_column));
    if (listed.runnable == "no") fmt::print("{}\n", paper.faint(std::string(4, ' ') + wrap(listed.because, 4, 4)));
}

void print_left_out(const Catalogue& catalogue) {
    for (const auto& worker : catalogue.workers)
        if (!worker.trouble.empty()) fmt::print("{}\n", wrap("! " + worker.name + " " + worker.trouble, 0, 2));
    for (const auto& left_out : catalogue.left_out) fmt::print("{}\n", wrap("not built: " + left_out, 0, 2));
}

}  // namespace

int list_verb(const Words& words) {
    Arguments arguments("list", "List scenarios and benchmarks, and whether they can run here.",
                        {"", "environment/ 000-04"});
    std::vector<std::string> patterns;
    bool as_json = false;
    arguments.option("PATTERN", patterns, "a name, a folder, a glob or a claim id");
    arguments.flag("--json", as_json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;

    const auto catalogue = load_catalogue(worker_folders());
    const auto benchmarks = list_for_this_machine(select_benchmarks(catalogue, patterns));
    const auto selected = select(catalogue, patterns);
    if (const auto* wrong = std::get_if<std::string>(&selected); wrong && benchmarks.empty()) {
        complain(fmt::format("tocuda list: {}",
                             patterns.size() == 1 ? nothing_at_all_named(catalogue, patterns[0]) : *wrong));
        return usage;
    }
    // A pattern may match benchmarks only.
    const auto* scenarios = std::get_if<std::vector<Selected>>(&selected);
    const auto listing = list_for_this_machine(scenarios ? *scenarios : std::vector<Selected>{});
    if (as_json) {
        fmt::print("{}\n", list_document(listing, benchmarks));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    fmt::print("{}\n", paper.faint(pad(pad("scenario", 36) + "runs here", 46) + "what it does"));
    for (const auto& listed : listing) print_line(listed.scenario.name, listed, listed.scenario.summary, paper);
    if (!benchmarks.empty())
        fmt::print("\n{}\n", paper.faint(pad(pad("benchmark", 36) + "runs here", 46) + "what it measures (clock)"));
    for (const auto& listed : benchmarks)
        print_line(listed.benchmark.name, listed,
                   fmt::format("{} ({})", listed.benchmark.summary, word(listed.benchmark.clock)), paper);
    print_left_out(catalogue);
    return as_expected;
}

}  // namespace tocuda
