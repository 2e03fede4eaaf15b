// tocuda, Apache-2.0.
// `tocuda reproduce`: runs the protocol of a result file again on this machine, records it, and reports whether the
// new results lie where the old ones predict.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "command/arguments.hpp"
#include "command/bench_recording.hpp"
#include "command/complaint.hpp"
#include "command/reproduced.hpp"
#include "command/reproduction_table.hpp"
#include "command/run_recording.hpp"
#include "command/simulated_gpus.hpp"
#include "lines/reproduce_document.hpp"
#include "process/time.hpp"
#include "record/result_file.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

struct Asked {
    std::string file{};
    std::string run{};
    std::string output = "results/local";
    int seed = -1;
    int jobs = 0;
    double seconds = 0;
    double budget = 0;
    bool json = false;
    bool quiet = false;
};

int complain_of_it(int code, const std::string& what) { return complain(code, "tocuda reproduce: " + what); }

// One run: its first section and those that resumed it, in that order, whatever their order in a merged file.
using Run = std::vector<const Section*>;

std::vector<Run> runs_of(const Recording& recording) {
    const auto goes_on_with = [](const Section& section, const Section& before) {
        return section.run.resumes && *section.run.resumes == before.run.run;
    };
    std::vector<Run> runs;
    std::vector<const Section*> later;
    for (const auto& section : recording.sections) {
        const auto is_continued = [&](const Section& before) { return goes_on_with(section, before); };
        const bool goes_on = std::any_of(recording.sections.begin(), recording.sections.end(), is_continued);
        if (goes_on) later.push_back(&section);
        else runs.push_back({&section});
    }
    for (auto& run : runs)
        for (;;) {
            const auto next = std::find_if(later.begin(), later.end(),
                                           [&](const Section* section) { return goes_on_with(*section, *run.back()); });
            if (next == later.end()) break;
            run.push_back(*next);
            later.erase(next);
        }
    for (const auto* section : later) runs.push_back({section});
    return runs;
}

std::variant<Run, std::string> chosen_run(const Recording& recording, const std::string& prefix) {
    auto runs = runs_of(recording);
    if (runs.empty()) return recording.file.string() + ": contains no run";
    const auto is_named = [&](const Section* section) { return section->run.run.starts_with(prefix); };
    std::erase_if(runs, [&](const Run& run) { return std::none_of(run.begin(), run.end(), is_named); });
    if (runs.size() == 1) return runs.front();
    std::string all;
    for (const auto& run : runs_of(recording)) all += (all.empty() ? "" : ", ") + run.front()->run.run.substr(0, 8);
    const auto wrong = runs.empty() ? "no run begins with '" + prefix + "'" : "contains several runs";
    return fmt::format("{}: {}; choose one with --run: {}", recording.file.string(), wrong, all);
}

// Returns the recorded arguments that say what to run, without those that say how to show and record it.
Words words_again(const RunLine& run) {
    const std::vector<std::string> with_value{"--seed",    "--output", "--resume", "--jobs",
                                              "--timeout", "--budget", "--against"};
    const std::vector<std::string> without{"--json", "--quiet", "--strict"};
    Words words;
    for (std::size_t word = 2; word < run.command.size(); ++word) {
        const auto name = run.command[word].substr(0, run.command[word].find('='));
        const bool valued = std::find(with_value.begin(), with_value.end(), name) != with_value.end();
        if (valued && name == run.command[word]) ++word;
        if (!valued && std::find(without.begin(), without.end(), name) == without.end())
            words.push_back(run.command[word]);
    }
    return words;
}

// Only the first section of a resumed run records what was chosen.
constexpr auto not_its_beginning = ": resumes a run that is in another file; merge both first";

struct Again {
    int code = as_expected;  // other than as_expected if something went wrong
    Reproduction reproduction{};
};

Again bench_again(const Asked& asked, const Run& run, double started) {
    const auto& first = run.front()->run;
    auto options = recorded_bench_options(first);
    if (!options) return {complain_of_it(usage, asked.file + ": the recorded command line cannot be parsed"), {}};
    if (!options->resume.empty()) return {complain_of_it(usage, asked.file + not_its_beginning), {}};
    const auto protocol = protocol_called(options->wanted.protocol);
    if (first.protocol && first.protocol->version != protocol.version)
        return {complain_of_it(nothing_done, fmt::format("{}: measured with protocol {}; this tocuda measures with {}",
                                                         asked.file, first.protocol->version, protocol.version)),
                {}};
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
    options->seed = asked.seed >= 0 ? asked.seed : static_cast<int>((first.seed + 1) % most);
    options->output = asked.output;
    options->against.clear();
    options->budget = asked.budget > 0 ? asked.budget : options->budget;
    options->seconds = asked.seconds;
    options->jobs = asked.jobs;
    options->json = asked.json;
    options->quiet = asked.quiet;
    auto words = words_again(first);
    words.insert(words.end(), {"--seed", std::to_string(options->seed)});
    const auto recording = record_bench(*options, words, {}, started);
    if (recording.measured.empty())
        return {recording.stopped.value_or(nothing_done) == stopped_early ? stopped_early : nothing_done, {}};
    std::vector<SectionRows> before;
    for (const auto* section : run) {
        before.push_back({section->run, {}});
        for (const auto& row : section->measurements) before.back().rows.push_back(row.row);
    }
    Again again{recording.stopped.value_or(as_expected),
                {asked.file, recording.file, recording.run.device, {}, differences(first, recording.run)}};
    again.reproduction.rows = reproduced_rows(before, {recording.run, recording.measured});
    return again;
}

Again run_again(const Asked& asked, const Run& run) {
    const auto& first = run.front()->run;
    auto options = recorded_run_options(first);
    if (!options) return {complain_of_it(usage, asked.file + ": the recorded command line cannot be parsed"), {}};
    if (!options->resume.empty()) return {complain_of_it(usage, asked.file + not_its_beginning), {}};
    auto words = words_again(first);
    // A run that was simulated for lack of a GPU is simulated again, even if there is one now; a real run never is.
    if (first.device == Device::simulated && options->simulate.empty()) {
        options->simulate = default_simulation;
        words.insert(words.end(), {"--simulate", default_simulation});
    }
    options->real = first.device == Device::real;
    options->output = asked.output;
    options->seconds = asked.seconds;
    options->jobs = asked.jobs;
    options->json = asked.json;
    options->quiet = asked.quiet;
    std::vector<Row> before;
    for (const auto* section : run)
        for (const auto& row : section->rows) before.push_back(row.row);
    const auto recording = record_run(*options, words, {}, load_catalogue(worker_folders()));
    if (recording.rows.empty())
        return {recording.stopped.value_or(nothing_done) == stopped_early ? stopped_early : nothing_done, {}};
    Again again{recording.stopped.value_or(as_expected),
                {asked.file, recording.file, recording.run.device, {}, differences(first, recording.run)}};
    again.reproduction.rows = reproduced_claims(before, recording.rows);
    return again;
}

int report(const Asked& asked, const Again& again) {
    const auto& reproduction = again.reproduction;
    if (asked.json) fmt::print("{}\n", reproduce_document(reproduction));
    else
        fmt::print("{}\n{}\n{}recorded in {}\n", reproduction_table(reproduction, paper_for_stdout()),
                   reproduction_totals(reproduction), again.code == stopped_early ? not_whole : "",
                   reproduction.recorded);
    if (again.code != as_expected) return again.code;
    const auto any = [&](Reproduced verdict) {
        return std::any_of(reproduction.rows.begin(), reproduction.rows.end(),
                           [&](const ReproducedRow& row) { return row.verdict == verdict; });
    };
    return any(Reproduced::outside) ? finding : any(Reproduced::inside) ? as_expected : nothing_done;
}

int reproduce(const Asked& asked, double started) {
    const auto read = read_recording(asked.file);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) return complain(usage, "tocuda: " + wrong->what);
    const auto& recording = std::get<Recording>(read);
    for (const auto& warning : recording.warnings) complain("tocuda: " + warning);
    const auto chosen = chosen_run(recording, asked.run);
    if (const auto* wrong = std::get_if<std::string>(&chosen)) return complain_of_it(usage, *wrong);
    const auto& run = std::get<Run>(chosen);
    const auto& verb = run.front()->run.verb;
    if (verb != "bench" && verb != "run")
        return complain_of_it(usage,
                              fmt::format("{}: recorded by `tocuda {}`, which cannot be reproduced", asked.file, verb));
    const auto again = verb == "bench" ? bench_again(asked, run, started) : run_again(asked, run);
    return again.reproduction.recorded.empty() ? again.code : report(asked, again);
}

}  // namespace

int reproduce_verb(const Words& words) {
    Arguments arguments("reproduce", "Repeat a recorded run and compare the results with its own.",
                        {"results/nvidia-h200/580.95.05/copy.jsonl", "FILE --json --output again/"});
    Asked asked;
    arguments.option("FILE", asked.file, "a result file of bench or run", "", Arguments::Presence::required);
    arguments.option("--run", asked.run, "prefix of the run's id, if FILE has several", "ID");
    arguments.option("--seed", asked.seed, 0, std::numeric_limits<int>::max(),
                     "the order of measuring (default: the next)", "N");
    arguments.option("--output", asked.output, "the folder for the result file", "DIR");
    arguments.option("--jobs", asked.jobs, 1, 1024, "children in parallel on simulated GPUs", "N");
    arguments.option("--timeout", asked.seconds, "deadline of each child, in seconds", "S");
    arguments.option("--budget", asked.budget, "seconds in total (default: as recorded)", "S");
    arguments.flag("--json", asked.json, "one document on stdout");
    arguments.flag("--quiet", asked.quiet, "no progress on stderr");
    if (const auto code = arguments.parse(words)) return *code;
    if (asked.jobs == 0) asked.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const auto started = now();
    try {
        return reproduce(asked, started);
    } catch (const RecordError& error) {
        return complain_of_it(nothing_done, error.what());
    }
}

}  // namespace tocuda
