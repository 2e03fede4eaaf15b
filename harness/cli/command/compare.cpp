// tocuda, Apache-2.0.
// `tocuda compare [OLD] NEW`: what changed between two sets of result files, how certain that is, and what it can be
// attributed to.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "command/compared_files.hpp"
#include "command/compared_verdicts.hpp"
#include "command/kept_recordings.hpp"
#include "command/start_noise.hpp"
#include "command/verb.hpp"
#include "comparison_input/fleet.hpp"
#include "comparison_input/host_groups.hpp"
#include "comparison_input/paired_rows.hpp"
#include "comparison_input/row_history.hpp"
#include "json_lines/documents.hpp"
#include "printing/change_table.hpp"
#include "printing/models_table.hpp"
#include "printing/normal_words.hpp"
#include "printing/published_words.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

struct CompareOptions {
    std::string before{};  // files or folders; empty: what is normal for NEW
    std::string after{};
    std::vector<std::string> fleet{};  // whose GPUs are compared with each other; excludes the other inputs
    std::string history{};
    std::string margin{};
    ComparisonRules rules{};  // with that
    std::string start_noise{};
    AssumedNoise assumed{};  // what it says
    std::string block{};
    std::string fail_on = "sure";
    bool strict = false;
    bool json = false;
    bool quiet = false;
    bool all = false;     // list every row
    bool ticket = false;  // one paragraph of Markdown
};

// Returns what is wrong with the options; empty if nothing is.
std::string why_not(const CompareOptions& options) {
    if (options.ticket && options.json) return "--ticket cannot be combined with --json";
    if (options.ticket && options.after.empty())
        return options.fleet.empty() ? "--ticket needs NEW" : "--ticket cannot be combined with --fleet";
    if (options.fail_on != "sure" && options.fail_on != "likely") return "--fail-on must be sure or likely";
    const bool has_no_other = options.after.empty() && options.history.empty();
    if (!options.fleet.empty() && !has_no_other) return "--fleet cannot be combined with OLD, NEW or --history";
    if (!options.block.empty() && (has_no_other || options.after.empty() || options.before.empty()))
        return "--block needs OLD and NEW";
    if (!options.fleet.empty() && !options.start_noise.empty()) return "--start-noise cannot be combined with --fleet";
    if (!options.fleet.empty()) return "";
    if (has_no_other) return "nothing to compare: give NEW, OLD NEW, --history FOLDER or --fleet FILE...";
    return "";
}

// Returns the options, or the exit code if there is nothing to compare.
OrExit<CompareOptions> parse(const Words& words) {
    Arguments arguments("compare", "Show what changed between two sets of results, how surely, and why.",
                        {"results/h200/570.86 results/h200/580.95 --history results/h200", "--fleet results/fleet/"});
    CompareOptions options;
    arguments.option("OLD", options.before, "a file or a folder; without it: NEW against results/", "");
    arguments.option("NEW", options.after, "a result file or a folder of them", "");
    arguments.option("--history", options.history, "how starts vary; alone: driver by driver", "FOLDER");
    arguments.option("--fleet", options.fleet, "files or folders: each GPU against its peers");
    arguments.option("--margin", options.margin, "smaller differences are no change (0.5)", "PERCENT");
    arguments.option("--start-noise", options.start_noise, "how unchanged starts vary: 0.2%, FOLDER/=0.2%", "PERCENT");
    arguments.option("--block", options.block, "hosts that share this --label count as one", "FIELD");
    arguments.option("--fail-on", options.fail_on,
                     "sure: exit 1 only if something is surely slower (default); likely: also if it is likely slower, "
                     "which it is if starts vary no more than is known of them",
                     "WHAT");
    arguments.flag("--all", options.all, "list every row");
    arguments.flag("--ticket", options.ticket, "a paragraph of Markdown with numbers and run ids");
    arguments.flag("--strict", options.strict, "exit 3 if a row is not sure");
    arguments.flag("--json", options.json, "one document on stdout");
    arguments.flag("--quiet", options.quiet, "no warnings on stderr");
    if (const auto code = arguments.parse(words)) return tl::unexpected(Refusal{*code});
    if (options.after.empty()) std::swap(options.before, options.after);
    if (const auto wrong = why_not(options); !wrong.empty()) return tl::unexpected(Refusal{arguments.refuse(wrong)});
    const auto rules = rules_with_margin(options.margin);
    if (!rules) return tl::unexpected(Refusal{arguments.refuse(rules.error().what)});
    options.rules = *rules;
    if (options.start_noise.empty()) return options;
    const auto assumed = assumed_noise(options.start_noise);
    if (!assumed) return tl::unexpected(Refusal{arguments.refuse(assumed.error().what)});
    options.assumed = *assumed;
    return options;
}

bool has_findings(const ChangeReport& report, const CompareOptions& options) {
    return has_findings(report) || (options.fail_on == "likely" && has_verdict(report, ChangeVerdict::likely_slower));
}

// A likely change is not a sure one.
bool is_open(const ChangeReport& report) {
    using enum ChangeVerdict;
    const auto open = {undecided, likely_slower, likely_faster};
    return std::ranges::any_of(open, [&](ChangeVerdict verdict) { return has_verdict(report, verdict); });
}

int code_of(const ChangeReport& report, const CompareOptions& options) {
    if (has_findings(report, options)) return finding;
    if (!compared_anything(report) && !report.models) return nothing_done;
    return options.strict && is_open(report) ? undecided : as_expected;
}

void print(const ChangeReport& report, bool all, const Paper& paper, const std::optional<NormalAnswer>& normal = {}) {
    if (normal) fmt::print("{}\n\n", wrap(normal->text, 0, 2, paper.columns()));
    fmt::print("{}\n", compared_words(report, paper));
    if (report.models) fmt::print("{}\n", models_table(*report.models, all, paper));
    for (const auto& text :
         {change_table(report, all, paper), claim_words(report, paper), unpaired_words(report, paper)})
        if (!text.empty()) fmt::print("{}\n", text);
    fmt::print("{}\n", wrap(total_words(report), 0, 2, paper.columns()));
    if (normal && !normal->published.empty()) fmt::print("\n{}", held_table(normal->published, paper.columns()));
}

void print(const HistoryReport& report, bool all, const Paper& paper) {
    if (report.simulated) fmt::print("{}", simulated_words(paper));
    for (const auto& [before, after, compared] : report.drivers) {
        fmt::print("{}\n", paper.strong(fmt::format("{} -> {}", before, after)));
        print(compared, all, paper);
        fmt::print("\n");
    }
}

// Returns each warning of what was read once, and prints them to stderr unless --quiet or --json.
std::vector<std::string> warnings_of(const std::vector<const ReadFiles*>& read, const CompareOptions& options) {
    std::vector<std::string> warnings;
    std::set<std::string> told;
    for (const auto* one : read)
        for (const auto& warning : one->warnings)
            if (told.insert(warning).second) warnings.push_back(warning);
    if (!options.quiet && !options.json)
        for (const auto& warning : warnings) complain("tocuda: " + warning);
    return warnings;
}

// Prints why a file could not be read. Returns whether one could not.
bool is_unreadable(const ReadFiles& read) {
    if (!read.wrong.empty()) complain("tocuda: " + read.wrong);
    return !read.wrong.empty();
}

// Files that were given on both sides, whatever they are called there.
std::vector<std::string> files_on_both(const ReadFiles& before, const ReadFiles& after) {
    std::vector<std::string> both;
    for (const auto& file : before.files)
        if (std::find(after.files.begin(), after.files.end(), file) != after.files.end()) both.push_back(file);
    return both;
}

// Nothing is recorded of the model, but others published numbers of it. They make no finding, and nothing sure.
int beside_published(const CompareOptions& options, const ReadFiles& after, const std::vector<HeldRow>& held) {
    ChangeReport report{};
    report.after.files = static_cast<int>(after.files.size());
    report.warnings = warnings_of({&after}, options);
    if (options.json) {
        print_document(compare_document(report, NormalAnswer{held.front().model, {}, held_total(held), held}));
    } else if (options.ticket) {
        fmt::print("**{}.**", held_total(held));
        for (const auto& row : held) fmt::print(" {}.", held_words(row));
        fmt::print("\n");
    } else {
        fmt::print("{}", held_table(held, paper_for_stdout().columns()));
    }
    return options.strict ? undecided : as_expected;
}

// What NEW alone is compared with.
struct Usual {
    std::optional<Normal> recorded{};  // absent: there is an OLD
    std::vector<HeldRow> published{};
};

// Returns the exit code where nothing is recorded, after what is published was printed, or why there is nothing.
OrExit<Usual> usual_for(const CompareOptions& options, const ReadFiles& after) {
    if (!options.before.empty()) return Usual{};
    auto held = held_rows_of(after.files);
    if (!held) return tl::unexpected(Refusal{complain(usage, "tocuda: " + held.error().what)});
    auto published = held->empty() ? std::vector<HeldRow>{} : std::move(held->front());
    auto recorded = recorded_normal(after);
    if (recorded) return Usual{*std::move(recorded), std::move(published)};
    if (!published.empty()) return tl::unexpected(Refusal{beside_published(options, after, published)});
    warnings_of({&after}, options);
    return tl::unexpected(Refusal{complain(recorded.error())});
}

// Of several GPUs the median is held against what is recorded: one that is far below the others would not be seen.
void point_to_fleet(const FleetReport& fleet, const std::string& place) {
    std::set<std::string> nodes;
    for (const auto& row : fleet.found)
        if (row.below) nodes.insert(row.node);
    if (!nodes.empty())
        complain(fmt::format("tocuda: slower than the other GPUs of NEW: {}; see `tocuda compare --fleet {}`",
                             fmt::join(nodes, ", "), place));
}

// Options that decide nothing.
void say_what_options_lack(const CompareOptions& options, const ChangeReport& report) {
    const auto assumes = [](const AnsweredRow& row) { return row.row.assumed_noise.has_value(); };
    if (options.assumed && !report.rows.empty() && std::ranges::none_of(report.rows, assumes))
        complain("tocuda: --start-noise " + options.start_noise + " names none of the compared benchmarks");
    const auto knows = [](const AnsweredRow& row) {
        return row.change.start_noise.has_value() || has_noise_of_hosts(row.change);
    };
    if (options.json && !unused_noise_words(report).empty()) complain("tocuda: " + unused_noise_words(report));
    if (options.fail_on == "likely" && std::ranges::none_of(report.rows, knows))
        complain(
            fmt::format("tocuda: --fail-on likely: no row can be called likely, because it is not known how much "
                        "starts differ when nothing has changed: give {}",
                        !options.history.empty() ? "a longer --history"
                        : options.assumed        ? "--history"
                                                 : "--history or --start-noise"));
}

// Without OLD, NEW is compared with what is recorded of the same GPU model.
int compare_two(const CompareOptions& options) {
    RowNames names;
    RowNames names_before;
    std::future<ReadFiles> reading_before;  // at the same time, because reading takes most of it
    if (!options.before.empty())
        reading_before = std::async(std::launch::async, [&] { return read_files({options.before}, names_before); });
    auto after = read_files({options.after}, names);
    if (is_unreadable(after)) return usage;
    auto usual = usual_for(options, after);
    if (!usual) return usual.error().code;
    const auto& normal = usual->recorded;
    auto before = normal ? read_files(normal->files, names_before) : reading_before.get();
    if (is_unreadable(before)) return usage;
    names.take_over(names_before, before.sections);
    judge_again_what_differs(before, after);
    auto history = options.history.empty() ? ReadFiles{} : read_files({options.history}, names);
    if (is_unreadable(history)) return usage;
    GatheredSides sides{std::move(before.sections), std::move(after.sections), std::move(history.sections),
                        options.block, normal.has_value()};
    if (!options.block.empty())
        if (const auto why = why_no_blocks(sides.before, sides.after, options.block); !why.empty())
            return complain(usage, "tocuda: " + why);
    auto report = compare_sides(names, sides, options.rules, options.assumed);
    report.before.files = static_cast<int>(before.files.size());
    report.after.files = static_cast<int>(after.files.size());
    report.altered = before.altered + after.altered + history.altered;
    report.before.is_recorded = normal.has_value();
    report.same_files = files_on_both(before, after);
    report.is_backwards = report.is_backwards && !normal;
    report.warnings = warnings_of({&before, &after, &history}, options);
    std::optional<NormalAnswer> answer;
    if (normal && compared_anything(report))
        answer = {normal->machine, normal->files, normal_words(report, normal->machine), usual->published};
    if (options.json) print_document(compare_document(report, answer));
    else if (options.ticket) fmt::print("{}{}", answer ? "**" + answer->text + ".** " : "", change_ticket(report));
    else print(report, options.all, paper_for_stdout(), answer);
    if (normal) point_to_fleet(judge_fleet(names, sides.after), options.after);
    const int code = code_of(report, options);
    if (code == nothing_done) complain("tocuda: nothing can be compared");
    say_what_options_lack(options, report);
    return code;
}

// --fleet: each GPU against its peers.
int compare_fleet(const CompareOptions& options) {
    RowNames names;
    const auto read = read_files(options.fleet, names);
    if (is_unreadable(read)) return usage;
    auto report = judge_fleet(names, read.sections);
    report.files = static_cast<int>(read.files.size());
    report.warnings = warnings_of({&read}, options);
    if (options.json) print_document(fleet_document(report));
    else fmt::print("{}", fleet_words(report, options.all, paper_for_stdout()));
    if (std::any_of(report.found.begin(), report.found.end(), [](const FleetRow& row) { return row.below; }))
        return finding;
    if (report.rows > 0) return as_expected;
    complain("tocuda: no GPU has the five peers needed (same model, driver, VBIOS and power limit)");
    return nothing_done;
}

HistoryReport history_of(const RowNames& names, const std::vector<GatheredSection>& sections,
                         const CompareOptions& options) {
    HistoryReport report{.sections = static_cast<int>(sections.size()),
                         .drivers = driver_steps(names, sections, options.rules, options.assumed)};
    for (const auto& section : sections) report.simulated = report.simulated || section.run.device == Device::simulated;
    return report;
}

// --history: each driver against the previous one.
int compare_history(const CompareOptions& options) {
    RowNames names;
    const auto read = read_files({options.history}, names);
    if (is_unreadable(read)) return usage;
    auto report = history_of(names, read.sections, options);
    report.files = static_cast<int>(read.files.size());
    report.warnings = warnings_of({&read}, options);
    if (options.json) print_document(history_document(report));
    else print(report, options.all, paper_for_stdout());
    bool found = false;
    bool compared = false;
    bool open = false;
    for (const auto& step : report.drivers) {
        found = found || has_findings(step.report, options);
        compared = compared || compared_anything(step.report);
        open = open || is_open(step.report);
    }
    if (found) return finding;
    if (compared) return options.strict && open ? undecided : as_expected;
    complain("tocuda: nothing can be compared: give sessions of at least two drivers");
    return nothing_done;
}

}  // namespace

int compare_verb(const Words& words) {
    const auto options = parse(words);
    if (!options) return options.error().code;
    if (!options->fleet.empty()) return compare_fleet(*options);
    return options->after.empty() ? compare_history(*options) : compare_two(*options);
}

}  // namespace tocuda
