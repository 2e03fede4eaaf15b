// tocuda, Apache-2.0.
// `tocuda report FILE...`: writes a page, or a digest, of what result files hold.
#include "report/report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "command/compared_files.hpp"
#include "command/compared_verdicts.hpp"
#include "command/kept_recordings.hpp"
#include "command/start_noise.hpp"
#include "command/verb.hpp"
#include "comparison_input/fleet.hpp"
#include "comparison_input/host_groups.hpp"
#include "comparison_input/paired_rows.hpp"
#include "comparison_input/row_history.hpp"
#include "execution/rejudging.hpp"
#include "json_lines/build_line.hpp"
#include "json_lines/documents.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/suite.hpp"
#include "machine/text_file.hpp"
#include "printing/change_table.hpp"
#include "record/merging.hpp"
#include "record/replacement.hpp"
#include "request/catalogue.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
    std::vector<std::string> files{};
    std::vector<std::vector<std::string>> sides{};  // the files of each argument
    std::string start_noise{};
    std::string block{};
    std::string history{};
    std::string margin{};
    ComparisonRules rules{};  // with that
    AssumedNoise assumed{};   // what it says
    std::string output{};
    bool markdown = false;
    bool redact = false;
    bool json = false;
};

// The same file under two names counts once.
std::vector<std::string> files_once(const std::vector<std::string>& files) {
    std::vector<std::string> once;
    std::set<fs::path> known;
    for (const auto& file : files) {
        std::error_code failed;
        if (known.insert(fs::weakly_canonical(file, failed)).second) once.push_back(file);
        else complain(fmt::format("tocuda: {}: given more than once; counted once", file));
    }
    return once;
}

bool is_replay(const std::string& file) {
    const auto begin = beginning_of(file, 256);
    return begin.starts_with('{') && (begin.find(R"("kind": "replay")") != std::string::npos ||
                                      begin.find(R"("kind":"replay")") != std::string::npos);
}

// Documents of `replay --json` become parts of the page of their own; the other files stay.
Expected<std::vector<page::MemoryReplay>> take_replays(std::vector<std::string>& files) {
    std::vector<page::MemoryReplay> replays;
    std::vector<std::string> others;
    for (const auto& file : files) {
        if (!is_replay(file)) {
            others.push_back(file);
            continue;
        }
        auto replayed = read_replay_document(read_text(file).value_or(""));
        if (!replayed) return problem(file + ": not a document of `replay --json`: " + replayed.error().what);
        replays.push_back({fs::path(file).filename(), *std::move(replayed)});
    }
    files = std::move(others);
    return replays;
}

// "000-04 (recorded as false)", of the claims whose verdicts differ.
std::vector<std::string> other_verdicts(const std::vector<Row>& recorded, const std::vector<Row>& today) {
    std::map<std::string, Verdict> now_is;
    for (const auto& claim : tally(today).claims) now_is[claim.id] = claim.verdict;
    std::vector<std::string> others;
    for (const auto& claim : tally(recorded).claims)
        if (const auto found = now_is.find(claim.id); found != now_is.end() && found->second != claim.verdict)
            others.push_back(fmt::format("{} (recorded as {})", claim.id, plain_word(claim.verdict)));
    constexpr std::size_t most = 8;
    if (others.size() <= most) return others;
    const auto more = fmt::format("and {} more (`tocuda judge FILE` lists them)", others.size() - most + 1);
    others.resize(most - 1);
    others.push_back(more);
    return others;
}

// Other judges may see the same evidence in another way, and the sentences of claims are today's.
void judge_today(const Catalogue& catalogue, page::Report& report) {
    for (auto& run : report.runs) {
        const auto& by = run.about.suite;
        auto [today, all] = judged_today(catalogue, run.scenarios, by);
        const auto name = run.about.run.substr(0, 8);
        if (!all)
            report.warnings.push_back(fmt::format("not all verdicts of run {} could be judged again: those are of {}",
                                                  name, version_text({.suite = by})));
        if (const auto others = other_verdicts(run.scenarios, today); !others.empty())
            report.warnings.push_back(
                fmt::format("the verdicts of run {} are today's; {}", name, fmt::join(others, ", ")));
        run.scenarios = std::move(today);
    }
}

// `files` loses those that cannot be read.
Expected<page::Report> read_report(std::vector<std::string>& files, const std::vector<std::string>& given) {
    auto recordings = read_recordings(files, given);
    if (!recordings) return tl::unexpected(recordings.error());
    page::Report report;
    for (auto& recording : *recordings) {
        drop_altered(recording);
        report.warnings.insert(report.warnings.end(), recording.warnings.begin(), recording.warnings.end());
    }
    for (const auto& sections : runs_of(*recordings)) {
        report.runs.push_back(recorded_run(sections));
        for (const auto& place : sections)
            for (const auto& recorded : place.section->rows) report.runs.back().scenarios.push_back(recorded.row);
    }
    std::ranges::stable_sort(report.runs, {}, [](const RecordedRun& run) { return run.about.time; });
    return report;
}

// The two arguments are the two sides.
Expected<ChangeReport> change_of(const ReportOptions& options, RowNames& names) {
    auto before = read_files(options.sides[0], names);
    auto after = read_files(options.sides[1], names);
    judge_again_what_differs(before, after);
    auto history = options.history.empty() ? ReadFiles{} : read_files({options.history}, names);
    GatheredSides sides{std::move(before.sections), std::move(after.sections), std::move(history.sections),
                        options.block};
    if (!history.wrong.empty()) return problem(history.wrong);
    if (!options.block.empty())
        if (const auto why = why_no_blocks(sides.before, sides.after, options.block); !why.empty()) return problem(why);
    auto compared = compare_sides(names, sides, options.rules, options.assumed);
    compared.altered = before.altered + after.altered + history.altered;
    compared.before.files = static_cast<int>(before.files.size());
    compared.after.files = static_cast<int>(after.files.size());
    return compared;
}

bool says_something(const ChangeReport& compared) { return compared_anything(compared) || compared.models; }

// Whether they were meant to be compared: what was measured together, or `run` beside `bench`, is no old and new.
bool are_two_sides(const ChangeReport& compared) {
    const auto has = [&](const std::string& why) {
        return std::ranges::any_of(compared.unpaired, [&](const Unpaired& one) { return one.why == why; });
    };
    const auto on_one = static_cast<std::ptrdiff_t>(has(on_one_side("old"))) + has(on_one_side("new"));
    return compared.same_starts.empty() &&
           (compared.before.runs.empty() || compared.after.runs.empty() || !compared.rows.empty() ||
            std::ssize(compared.unpaired) > on_one || on_one == 2);
}

// What several files, or the GPUs of one, say of each other without sides.
void compare_without_sides(const RowNames& names, const std::vector<GatheredSection>& sections, std::size_t files,
                           page::Report& report) {
    auto fleet = judge_fleet(names, sections);
    fleet.files = static_cast<int>(files);
    if (fleet.rows > 0) {
        report.fleet = std::move(fleet);
        return;
    }
    report.changes = driver_steps(names, sections);
    std::erase_if(report.changes, [](const DriverStep& step) { return !says_something(step.report); });
}

// What two arguments, or else several files or the GPUs of one, say of each other. Files that are too damaged for that
// only say so.
Expected<void> compare_files(const ReportOptions& options, page::Report& report) {
    RowNames names;
    const auto everything = read_files(options.files, names);
    if (!everything.wrong.empty()) {
        report.warnings.push_back("not compared: " + everything.wrong);
        return {};
    }
    const bool of_two = !options.block.empty() || !options.history.empty() || !options.margin.empty();
    if (of_two && options.sides.size() != 2) return problem("--block, --history and --margin need OLD and NEW");
    if (options.sides.size() != 2) {
        compare_without_sides(names, everything.sections, options.files.size(), report);
        return {};
    }
    auto compared = change_of(options, names);
    if (!compared) return tl::unexpected(compared.error());
    if (says_something(*compared)) {
        report.changes.push_back({"old", "new", *std::move(compared)});
        return {};
    }
    compare_without_sides(names, everything.sections, options.files.size(), report);
    const auto nothing = "old and new: " + nothing_words(*compared);
    if (!report.fleet && report.changes.empty() && are_two_sides(*compared)) report.not_compared = nothing;
    else report.warnings.push_back(nothing);
    return {};
}

// The files of each argument, of those that are read.
std::vector<std::vector<std::string>> sides_of(const std::vector<std::string>& arguments,
                                               const std::vector<std::string>& files) {
    std::vector<std::vector<std::string>> sides;
    for (const auto& argument : arguments) {
        auto side = files_at({argument}).value_or(std::vector<std::string>{});
        std::erase_if(side, [&](const std::string& file) { return std::ranges::find(files, file) == files.end(); });
        if (!side.empty()) sides.push_back(std::move(side));
    }
    return sides;
}

// The profiles of the GPUs of all runs, by the names of the GPUs.
std::map<std::string, GpuProfile> published_of(const std::vector<RecordedRun>& runs) {
    std::set<std::string> seen;
    for (const auto& run : runs)
        for (const auto& gpu : run.about.gpus)
            if (gpu.name) seen.insert(*gpu.name);
    std::map<std::string, GpuProfile> published;
    for (const auto& name : profile_names())
        if (auto profile = built_in_profile(name); profile && seen.contains(profile->gpu.name))
            published.emplace(profile->gpu.name, *std::move(profile));
    return published;
}

bool has_rows(const page::Report& report) {
    return std::ranges::any_of(
        report.runs, [](const RecordedRun& run) { return !run.scenarios.empty() || !run.measured.rows.empty(); });
}

// Returns why the output cannot be written; empty if nothing is against it so far.
std::string why_no_output(const ReportOptions& options) {
    const fs::path output = options.output;
    const auto folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) return options.output + ": no such folder: " + folder.string();
    const auto usable = check_output(output, {options.files.begin(), options.files.end()});
    return usable ? "" : usable.error().what;
}

int write(const page::Report& report, const ReportOptions& options) {
    const auto text = options.markdown ? digest_of(report) : html_of(report);
    if (options.output == "-") {
        fmt::print("{}", text);
        return as_expected;
    }
    if (const auto written = replace_content(options.output, text); !written)
        return complain(usage, "tocuda: " + written.error().what);
    WrittenReport document{.file = options.output, .bytes = text.size(), .redacted = options.redact};
    for (const auto& run : report.runs) {
        document.runs.push_back(run.about.run);
        document.simulated = document.simulated || run.about.device == Device::simulated;
    }
    document.warnings = report.warnings;
    if (options.json) print_document(report_document(document));
    else
        fmt::print("{}\n  {}, {:.0f} kB\n", options.output,
                   report.runs.empty() ? counted(std::ssize(report.memory), "replay")
                                       : counted(std::ssize(report.runs), "run"),
                   static_cast<double>(text.size()) / 1000);
    return as_expected;
}

OrExit<ReportOptions> parse(const Words& words) {
    Arguments arguments("report", "Write a page, or a digest, of what result files hold.",
                        {"results/local/*.jsonl -o report.html", "FILE --markdown --redact"});
    ReportOptions options;
    arguments.option("FILE", options.files, "files, folders (two: old, new), or of replay --json",
                     Arguments::Presence::required);
    arguments.option("-o,--output", options.output, "the file to write (report.html); -: standard output", "FILE");
    arguments.option("--start-noise", options.start_noise, "how unchanged starts vary, as for compare", "PERCENT");
    arguments.option("--block", options.block, "hosts that share this --label count as one", "FIELD");
    arguments.option("--history", options.history, "how starts vary without any change", "FOLDER");
    arguments.option("--margin", options.margin, "smaller differences are no change (0.5)", "PERCENT");
    arguments.flag("--markdown", options.markdown, "at most 25 lines to paste, on standard output without -o");
    arguments.flag("--redact", options.redact, "leave out host, UUIDs, paths, boot and session ids");
    arguments.flag("--json", options.json, "one document on stdout: the file written");
    if (const auto code = arguments.parse(words)) return tl::unexpected(Refusal{*code});
    const auto rules = rules_with_margin(options.margin);
    if (!rules) return tl::unexpected(Refusal{arguments.refuse(rules.error().what)});
    options.rules = *rules;
    if (!options.start_noise.empty()) {
        auto assumed = assumed_noise(options.start_noise);
        if (!assumed) return tl::unexpected(Refusal{arguments.refuse(assumed.error().what)});
        options.assumed = *std::move(assumed);
    }
    if (options.output.empty()) options.output = options.markdown ? "-" : "report.html";
    if (options.json && options.output == "-")
        return tl::unexpected(Refusal{arguments.refuse("--json needs a file: give -o FILE")});
    return options;
}

}  // namespace

int report_verb(const Words& words) {
    auto options = parse(words);
    if (!options) return options.error().code;
    auto files = files_at(options->files);
    if (!files) return complain(usage, "tocuda: " + files.error().what);
    auto memory = take_replays(*files);
    if (!memory) return complain(usage, "tocuda: " + memory.error().what);
    std::erase_if(*files, [&](const std::string& file) { return is_skipped(file, options->files); });
    const auto arguments = std::exchange(options->files, *std::move(files));
    if (options->output != "-")
        if (const auto why = why_no_output(*options); !why.empty()) return complain(usage, "tocuda: " + why);
    options->files = files_once(options->files);
    auto report = read_report(options->files, arguments);
    if (!report) return complain(usage, "tocuda: " + report.error().what);
    options->sides = sides_of(arguments, options->files);
    report->memory = *std::move(memory);
    const bool empty = !has_rows(*report) && report->memory.empty();
    const auto catalogue = empty ? Catalogue{} : load_catalogue(worker_folders());
    judge_today(catalogue, *report);
    for (const auto& warning : report->warnings) complain("tocuda: " + warning);
    if (empty) return complain(nothing_done, "tocuda: no rows in these files");
    if (const auto compared = report->runs.empty() ? Expected<void>() : compare_files(*options, *report); !compared)
        return complain(usage, "tocuda: " + compared.error().what);
    report->statements = statements_of(catalogue);
    for (const auto& worker : catalogue.workers)
        for (const auto& benchmark : worker.benchmarks) report->roles[benchmark.name] = benchmark.role;
    report->published = published_of(report->runs);
    auto held = held_rows_of(options->files);
    if (held) report->held = *std::move(held);
    else report->warnings.push_back(held.error().what);
    report->redacted = options->redact;
    return write(*report, *options);
}

}  // namespace tocuda
