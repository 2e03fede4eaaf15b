// tocuda, Apache-2.0.
#include "printing/shown_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "json_lines/visible.hpp"
#include "model/scenario.hpp"
#include "model/words.hpp"
#include "printing/bench_table.hpp"
#include "printing/stand_in_words.hpp"
#include "summary/row_summary.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t runs_column = 36;
constexpr std::size_t summary_column = 46;

std::string heading(const char* what, const char* summary, const Paper& paper) {
    return paper.faint(pad(pad(what, runs_column) + "runs here", summary_column) + summary) + "\n";
}

// Why it does not run here stands below the first of neighbours with the same reason; `why` is that of the one before.
template <class AnyListed>
std::string line_of(const std::string& name, const AnyListed& listed, const std::string& summary, std::string& why,
                    const Paper& paper) {
    const bool fits = columns_of(name) < runs_column;
    const auto head =
        pad(pad(fits ? name : "", runs_column - 1) + " " + (listed.runnable == "none" ? "cpu" : listed.runnable),
            summary_column - 1) +
        " ";
    auto text = (fits ? "" : wrap(name, 0, 2, paper.columns()) + "\n") + head +
                wrap(summary, summary_column, summary_column, paper.columns()) + "\n";
    const auto before = std::exchange(why, listed.runnable == "no" ? listed.because : "");
    if (!why.empty() && why != before)
        text += paper.faint(std::string(4, ' ') + wrap(why, 4, 4, paper.columns())) + "\n";
    return text;
}

std::string where_it_runs(const std::string& runnable) { return runnable == "none" ? "on the CPU" : runnable; }

std::string list_of(const std::string& parameter, const Values& values) {
    return joined(values, ", ", [&](const auto& value) { return value_text(parameter, value); });
}

// A parameter without values by default keeps its benchmark out of a measurement in which it is not named.
std::string sweep_of(const Benchmark& benchmark, const std::string& parameter, const Values& values) {
    const auto said = [&](const std::map<std::string, Values>& changed, const std::string& option) -> std::string {
        const auto found = changed.find(parameter);
        if (found == changed.end() || found->second == values) return "";
        const auto values_then = list_of(parameter, found->second);
        return values_then.empty() ? "; not measured with " + option : "; " + option + ": " + values_then;
    };
    auto text = values.empty() ? "left out unless the benchmark or its folder is named" : list_of(parameter, values);
    text += said(benchmark.quick, "--quick") + said(benchmark.full, "--full");
    const auto allowed = benchmark.allowed.find(parameter);
    const auto words = allowed == benchmark.allowed.end() ? "" : in_words(allowed->second);
    if (!words.empty()) text += "; allowed: " + words;
    return text + (benchmark.alternates == parameter ? "; alternating within one process" : "");
}

std::string how_timed(const Benchmark& benchmark) {
    if (!benchmark.how.empty()) return std::string(word(benchmark.clock)) + " clock: " + benchmark.how;
    return benchmark.clock == Clock::device
               ? "device clock: a batch is queued while a kernel holds the stream, and timed by two events around it"
               : "host clock: from the call until everything it started has finished";
}

void print_parameters(const Benchmark& benchmark, const Paper& paper) {
    constexpr std::size_t text_column = 16;
    if (!benchmark.parameters.empty()) fmt::print("\nparameters\n");
    for (const auto& [name, values] : benchmark.parameters) {
        const bool fits = name.size() + 4 <= text_column;
        fmt::print("  {}{}", paper.strong(fits ? pad(name, text_column - 2) : name),
                   fits ? "" : "\n" + std::string(text_column, ' '));
        fmt::print("{}\n", wrap(sweep_of(benchmark, name, values), text_column, text_column, paper.columns()));
    }
}

// Returns what distinguishes a variant; empty if it runs on the machine as it is.
std::string place_of(const Variant& variant, const std::string& common_gpus) {
    std::vector<std::string> parts;
    if (!variant.program.empty()) parts.push_back("run by " + variant.program);
    for (const auto& fake : variant.fakes) parts.push_back(stand_in_words(fake));
    for (const auto& [name, value] : variant.environment)
        parts.push_back(value ? name + "=\"" + *value + "\"" : name + " not set");
    if (variant.simulate != common_gpus) parts.push_back("simulated " + variant.simulate);
    for (const auto& fault : variant.faults) parts.push_back("fault " + fault);
    return joined(parts);
}

std::string variants_text(const Scenario& scenario, const Paper& paper) {
    const auto& first = scenario.variants.front().simulate;
    const bool common = std::all_of(scenario.variants.begin(), scenario.variants.end(),
                                    [&](const Variant& variant) { return variant.simulate == first; });
    std::vector<std::string> parts;
    for (const auto& variant : scenario.variants) {
        const auto place = place_of(variant, common ? first : "");
        parts.push_back(variant.name + (place.empty() ? "" : " (" + place + ")"));
    }
    const auto text = joined(parts, "; ") + (common && !first.empty() ? "; simulated " + first : "");
    return entry(parts.size() == 1 ? "variant" : "variants", text, paper);
}

// Variants with the same expectations share a line.
std::string expected_text(const Scenario& scenario, Detail detail, const Paper& paper) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const auto& variant : scenario.variants) {
        std::vector<std::string> words;
        for (const auto& [claim, verdict] : variant.expected)
            words.push_back((detail == Detail::whole ? claim + " " : "") + paper.word_of(verdict));
        const auto expected = words.empty() ? "nothing" : joined(words);
        const auto same =
            std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == expected; });
        if (same == groups.end()) groups.push_back({expected, {variant.name}});
        else same->second.push_back(variant.name);
    }
    std::string text;
    const bool named = groups.size() > 1 || detail == Detail::one_claim_of_several;
    for (const auto& [expected, variants] : groups)
        text += entry(text.empty() ? "expected" : "", expected + (named ? ": " + joined(variants) : ""), paper);
    return text;
}

// What was seen alike, and in which variants.
struct Said {
    std::string seen;
    std::vector<std::string> variants{};
};

std::string where_seen(const Evidence& evidence) {
    const bool fake = std::any_of(evidence.stand_in.begin(), evidence.stand_in.end(),
                                  [](const std::string& one) { return one.starts_with("driver "); });
    return fake ? "fake driver" : evidence.device == Device::none ? "cpu" : std::string(word(evidence.device));
}

std::vector<Said> said_in(const LastSeen& last, Detail detail, const Paper& paper) {
    std::vector<Said> all;
    for (const auto& row : last.rows)
        for (const auto& claim : row.claims) {
            const auto seen = (detail == Detail::whole ? claim.id + " " : "") + paper.word_of(claim.verdict) +
                              (claim.unexpected() ? paper.alarming(" unexpected") : "") + " (" +
                              where_seen(row.evidence) + "): " + claim.because;
            auto same = std::find_if(all.begin(), all.end(), [&](const Said& said) { return said.seen == seen; });
            if (same == all.end()) same = all.insert(all.end(), Said{seen});
            same->variants.push_back(row.variant);
        }
    std::stable_sort(all.begin(), all.end(),
                     [](const Said& one, const Said& other) { return one.variants.size() > other.variants.size(); });
    return all;
}

// Variants that behaved differently are told apart.
std::string last_text(const LastSeen& last, Detail detail, const Paper& paper) {
    std::string doubts;
    for (const auto& doubt : last.doubts) doubts += entry("", paper.alarming("!") + " " + visible(doubt), paper);
    if (last.rows.empty())
        return entry("last seen",
                     "not recorded in " + visible(last.folder.string()) + " yet; --output names another folder",
                     paper) +
               doubts;
    std::string text;
    for (const auto& said : said_in(last, detail, paper)) {
        const bool all = said.variants.size() == last.rows.size();
        const auto variants = all ? "" : joined(said.variants) + ": ";
        text += entry(text.empty() ? "last seen" : "", variants + said.seen, paper);
    }
    return text +
           (detail == Detail::one_claim_of_several
                ? ""
                : entry("",
                        paper.faint((last.machine.empty() ? "in " : "on " + last.machine + ", in ") +
                                    last.file.filename().string() +
                                    (last.judged_again.empty()
                                         ? ""
                                         : "; judged again, as " + last.judged_again + " judged otherwise")),
                        paper)) +
           doubts;
}

// Keys with the same differences share a line.
std::string differences_text(const Scenario& scenario, const Paper& paper) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const auto& difference : scenario.differs) {
        std::vector<std::string> versions;
        for (const auto& [version, words] : difference.says)
            versions.push_back(version + (words.empty() ? " none of these" : " \"" + words + "\""));
        const auto known = "LibTorch " + joined(versions) + (difference.remark.empty() ? "" : ": " + difference.remark);
        auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == known; });
        if (same == groups.end()) same = groups.insert(groups.end(), {known, {}});
        same->second.push_back(difference.key);
    }
    std::string text;
    for (const auto& [known, keys] : groups)
        text += entry(text.empty() ? "differs" : "", joined(keys) + "; " + known, paper);
    return text;
}

// Returns the claims, with each document named once above its own.
std::string claims_text(const Scenario& scenario, const Paper& paper) {
    std::string text;
    std::string source;
    for (const auto& claim : scenario.claims) {
        if (source_of(claim.id) != source) text += "\n" + source_text(claim.id, paper);
        source = source_of(claim.id);
        text += claim_text(claim, paper);
    }
    return text + "\n";
}

}  // namespace

std::string entry(const std::string& label, const std::string& text, const Paper& paper) {
    return pad(" " + label, entry_column) + wrap(text, entry_column, entry_column, paper.columns()) + "\n";
}

std::string listing_table(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                          const Paper& paper) {
    std::string text;
    std::string why;
    if (!scenarios.empty()) text += heading("scenario", "what it does", paper);
    for (const auto& listed : scenarios)
        text += line_of(listed.scenario.name, listed, listed.scenario.summary, why, paper);
    if (!benchmarks.empty())
        text += (text.empty() ? "" : "\n") + heading("benchmark", "what it measures (clock)", paper);
    for (const auto& listed : benchmarks)
        text += line_of(listed.benchmark.name, listed,
                        listed.benchmark.summary + " (" + std::string(word(listed.benchmark.clock)) + ")", why, paper);
    return text;
}

void print_benchmark(const ListedBenchmark& listed, const LastMeasured& last, const std::filesystem::path& results,
                     const Paper& paper) {
    const auto& benchmark = listed.benchmark;
    fmt::print("{}: {}\n", paper.strong(benchmark.name),
               wrap(benchmark.summary, benchmark.name.size() + 2, 4, paper.columns()));
    fmt::print("runs here: {}\n\n",
               wrap(where_it_runs(listed.runnable) + ", " + listed.because, 11, 4, paper.columns()));
    fmt::print("{}\n",
               wrap(how_timed(benchmark) +
                        ". The result is checked before the first sample and after the last. Each of the n processes "
                        "measures all parameter sets in its own order; the interval is that of their medians.",
                    0, 0, paper.columns()));
    print_parameters(benchmark, paper);
    for (const auto& doubt : last.doubts)
        fmt::print("\n{} {}\n", paper.alarming("!"), wrap(visible(doubt), 2, 2, paper.columns()));
    if (last.rows.empty()) {
        fmt::print("\n{}\n",
                   wrap("not measured in " + visible(results.string()) + " yet; --output names another folder", 0, 2,
                        paper.columns()));
        return;
    }
    const bool simulated =
        std::ranges::any_of(last.rows, [](const RowSummary& row) { return row.device == Device::simulated; });
    const bool any = std::ranges::any_of(last.rows, [](const RowSummary& row) { return row.status == Status::ok; });
    fmt::print("\nlast {}{}, {}{}\n{}", any ? "measured" : "tried",
               simulated ? " on " + paper.strong("SIMULATED") + " GPUs"
               : any     ? " on " + last.machine
                         : "",
               any ? "" : "without any value, ", last.file.filename().string(),
               bench_table(measured_run(last.rows), paper));
}

void keep_claim(Scenario& scenario, const std::string& id) {
    std::erase_if(scenario.claims, [&](const Claim& claim) { return claim.id != id; });
    for (auto& variant : scenario.variants)
        std::erase_if(variant.expected, [&](const auto& one) { return one.first != id; });
    std::erase_if(scenario.variants, [](const Variant& variant) { return variant.expected.empty(); });
}

void keep_claim(LastSeen& last, const std::string& id) {
    for (auto& row : last.rows) std::erase_if(row.claims, [&](const ClaimVerdict& claim) { return claim.id != id; });
    std::erase_if(last.rows, [](const Row& row) { return row.claims.empty(); });
}

std::string claim_text(const Claim& claim, const Paper& paper) {
    const auto indent = claim.id.size() + 2;
    return paper.strong(claim.id) + "  " + wrap(claim.statement, indent, indent, paper.columns()) + "\n";
}

std::string source_text(const std::string& claim, const Paper& paper) {
    return paper.faint(wrap(source_of(claim), 0, 0, paper.columns())) + "\n";
}

std::string scenario_text(const Listed& listed, const LastSeen& last, Detail detail, const Paper& paper) {
    const auto& scenario = listed.scenario;
    auto text = paper.strong(scenario.name) + ": " +
                wrap(scenario.summary, scenario.name.size() + 2, 2, paper.columns()) + "\n";
    if (detail == Detail::whole) text += claims_text(scenario, paper);
    if (detail != Detail::one_claim_of_several || listed.runnable == "no")
        text += entry("runs here", where_it_runs(listed.runnable) + ", " + listed.because, paper);
    text += entry("observed", scenario.observed, paper);
    text += entry("decides", scenario.decisive, paper);
    if (detail != Detail::one_claim_of_several) text += variants_text(scenario, paper);
    text += expected_text(scenario, detail, paper);
    text += last_text(last, detail, paper);
    return detail == Detail::one_claim_of_several ? text : text + differences_text(scenario, paper);
}

}  // namespace tocuda
