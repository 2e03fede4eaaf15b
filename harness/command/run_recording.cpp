// tocuda, Apache-2.0.
#include "command/run_recording.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "command/bench_child.hpp"
#include "command/campaign.hpp"
#include "command/complaint.hpp"
#include "command/resumable.hpp"
#include "command/run_facts.hpp"
#include "command/this_rank.hpp"
#include "lines/row_line.hpp"
#include "machine/simulation_spec.hpp"
#include "record/result_file.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

// Returns CUDA_VISIBLE_DEVICES for the children; empty if it stays as it is.
std::string visible_to_children(const RunFacts& facts) {
    const auto ours = variables_of_this_process();
    const auto list = ours.find("CUDA_VISIBLE_DEVICES");
    const bool listed = facts.available.device == Device::real && list != ours.end();
    return visible_gpus(facts.chosen, static_cast<int>(facts.line.gpus.size()),
                        listed ? std::optional(list->second) : std::nullopt)
        .value_or("");
}

void run_into(ResultFile& file, const RunOptions& options, const RunFacts& facts, std::vector<Step> steps,
              RunRecording& recording) {
    const auto take = [&](const Row& row) {
        file.append(to_line(row));
        recording.rows.push_back(row);
    };
    try {
        const bool quiet = options.quiet || options.json || !speaks();
        Campaign campaign(std::move(steps),
                          {options.jobs, options.seconds, quiet, visible_to_children(facts), facts.line.seed}, take);
        const bool complete = campaign.run();
        file.end(complete ? "complete" : "interrupted");
        if (!complete)
            recording.stopped = complain_of_run(stopped_early, "stopped before the end; `tocuda run --resume " +
                                                                   file.path().string() + "` runs the rest");
    } catch (const RecordError& error) {
        recording.stopped = complain_of_run(stopped_early, error.what());
    }
}

// Decides where it runs; returns the exit code if it cannot run.
std::optional<int> choose_place(RunFacts& facts, const RunOptions& options, const RunBefore& before) {
    const auto gpus = options.gpus == "all" ? "" : options.gpus;
    if (const auto wrong = choose_gpus(facts, options.simulate, options.real, gpus); !wrong.empty())
        return complain_of_run(usage, wrong);
    const bool simulated_by_itself = facts.available.device == Device::simulated && options.simulate.empty();
    if (options.gpus.empty() && !simulated_by_itself)
        if (const auto why = take_own_gpu(facts); !why.empty()) return complain_of_run(nothing_done, why);
    if (!before.run) return std::nullopt;
    facts.line.resumes = before.run->run;
    const auto why = why_not_resumable(*before.run, facts.line);
    return why.empty() ? std::nullopt
                       : std::optional(complain_of_run(nothing_done, "cannot resume " + options.resume + ": " + why));
}

}  // namespace

int complain_of_run(int code, const std::string& what) { return complain(code, "tocuda run: " + what); }

std::variant<RunBefore, std::string> read_run_before(RunOptions& options) {
    if (options.resume.empty()) return RunBefore{};
    auto read = read_recording(options.resume);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) return wrong->what;
    RunBefore before;
    for (const auto& section : std::get<Recording>(read).sections) {
        if (!before.run && section.run.verb == "run") {
            const auto first = recorded_run_options(section.run);
            if (!first) return options.resume + ":1: the recorded command line cannot be parsed";
            if (!options.gpus.empty() && options.gpus != first->gpus)
                return "cannot resume " + options.resume + ": it was run " +
                       (first->gpus.empty() ? "without --gpus" : "with --gpus " + first->gpus) +
                       "; resume it the same way";
            options = resumed(*first, options);
        }
        before.run = section.run;
        before.ended = section.end.has_value();
        for (const auto& row : section.rows) before.rows.push_back(row.row);
    }
    return before;
}

RunRecording record_run(RunOptions options, const Words& words, const RunBefore& before, const Catalogue& catalogue) {
    if (const auto spec = parse_simulation(options.simulate); !options.simulate.empty() && !spec)
        return {.stopped = complain_of_run(usage, spec.wrong)};
    const auto selection = select(catalogue, options.patterns);
    if (const auto* wrong = std::get_if<std::string>(&selection)) return {.stopped = complain_of_run(usage, *wrong)};
    const auto& selected = std::get<std::vector<Selected>>(selection);
    if (selected.empty())
        return {.stopped =
                    complain_of_run(nothing_done, "no worker has a scenario; `tocuda list` shows what was not built")};
    if (options.resume.empty())
        if (const auto why = why_not_writable(options.output); !why.empty())
            return {.stopped = complain_of_run(nothing_done, why)};
    auto facts = gather_run_facts("run", words, catalogue);
    if (const auto code = choose_place(facts, options, before)) return {.stopped = *code};
    if (!options.json && speaks()) {
        fmt::print("{}\n\n", where_it_runs(facts));
        std::fflush(stdout);
    }
    auto steps = plan(selected, facts.available);
    std::erase_if(steps, [&](const Step& step) {
        return std::any_of(before.rows.begin(), before.rows.end(), [&](const Row& row) {
            return row.name == step.what.scenario->name && row.variant == step.variant->name;
        });
    });
    if (before.run && steps.empty()) complain(fmt::format("tocuda run: nothing was missing from {}", options.resume));
    if (before.ended && steps.empty())
        return {.stopped = {}, .file = options.resume, .run = *before.run, .rows = before.rows};
    auto file =
        before.run ? ResultFile::resume(options.resume, facts.line) : ResultFile::create(options.output, facts.line);
    RunRecording recording{.stopped = {}, .file = file.path().string(), .run = facts.line, .rows = before.rows};
    run_into(file, options, facts, std::move(steps), recording);
    end_session_of(facts);
    return recording;
}

}  // namespace tocuda
