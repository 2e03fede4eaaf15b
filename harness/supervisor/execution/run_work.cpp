// tocuda, Apache-2.0.
#include "execution/run_work.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "json_lines/visible.hpp"
#include "json_lines/worker_lines.hpp"
#include "process/child.hpp"

namespace tocuda {
namespace {

constexpr std::size_t most_observations = 20000;

Row empty_row(const Step& step) {
    Row row{.name = step.what.scenario->name, .variant = step.variant->name};
    row.evidence.device = step.device;
    row.evidence.stand_in = step.variant->fakes;
    if (!step.simulation.empty()) row.evidence.stand_in.push_back("runtime " + step.simulation);
    for (const auto& [name, value] : step.variant->environment)
        if (value && value->find("/simulator/simulated") != std::string::npos)
            row.evidence.stand_in.push_back("runtime on " + name);
    for (const auto& fault : step.variant->faults) row.evidence.stand_in.push_back("fault " + fault);
    return row;
}

}  // namespace

RowBuilder::RowBuilder(const Step& step) : row(empty_row(step)), known_differences(step.what.scenario->differs) {
    const auto& built_with = step.what.worker->built_with;
    if (const auto version = built_with.find("libtorch"); version != built_with.end()) libtorch = version->second;
}

void RowBuilder::hear(std::string_view text) {
    ++lines;
    if (!wrong.empty()) return;
    const auto line = observe_line(text);
    if (!line) {
        wrong = fmt::format("descriptor 3, line {}: {}", lines, line.error().what);
    } else if (const auto* seen = std::get_if<Observation>(&*line)) {
        if (done) wrong = fmt::format("descriptor 3, line {}: an observation after the end", lines);
        else row.evidence.observations.push_back(*seen);
    } else if (const auto* end = std::get_if<DoneLine>(&*line)) {
        done = true;
        // Without it, the child did not observe what the variant is about.
        if (row.evidence.device == Device::simulated && end->device != Device::simulated)
            wrong = "the simulator or fake driver was not loaded in the child";
        row.evidence.device = end->device;
    }
    if (row.evidence.observations.size() > most_observations) wrong = "more than 20000 observations";
}

Row RowBuilder::finish(const Ended& ended) {
    row.evidence.outcome = ended.outcome;
    row.evidence.stderr_tail = visible_lines(ended.stderr_tail);
    auto& stopped = row.evidence.outcome.stopped;
    if (stopped.empty()) stopped = wrong;
    if (stopped.empty() && !ended.torn.empty()) stopped = "half a line on descriptor 3";
    if (stopped.empty() && row.evidence.outcome.normal() && !done)
        stopped =
            lines == 0 ? "it ended without writing to descriptor 3" : "it ended before reporting that it was done";
    row.differs = seen_differences(known_differences, row.variant, libtorch, row.evidence);
    if (ended.outlived > 0) row.evidence.observations.push_back({"harness.outlived", ended.outlived});
    return std::move(row);
}

Row skipped_row(const Step& step) {
    auto row = empty_row(step);
    row.evidence.device = Device::none;
    for (const auto& [claim, expected] : step.variant->expected)
        row.claims.push_back({claim, Verdict::skipped, expected, step.skipped});
    return row;
}

Row broken_row(const Step& step, const std::string& why) {
    auto row = empty_row(step);
    row.evidence.device = Device::none;
    row.evidence.outcome.stopped = why;
    for (const auto& [claim, expected] : step.variant->expected)
        row.claims.push_back({claim, Verdict::broken, expected, why});
    return row;
}

RunWork::RunWork(std::vector<Step> what, Engine& engine, RunSettings how, OnRow out)
    : steps(std::move(what)), schedule(steps, how.jobs), settings(std::move(how)), on_row(std::move(out)),
      desk(engine.children(), settings.seconds, [this](const Row& row) { hand_out(row); }), started(now()) {
    desk.look_at_the_clock(started);
    for (const auto& step : steps)
        if (step.what.worker->trouble.empty() && step.skipped.empty() && !step.variant->expected.empty())
            desk.expect_rows(*step.what.worker);
}

std::vector<Job> RunWork::next() {
    while (const auto number = schedule.take()) {
        const auto& step = steps[*number];
        const auto& worker = *step.what.worker;
        if (worker.trouble.empty() && step.skipped.empty()) return {job_of(*number)};
        schedule.ended(*number);
        hand_out(worker.trouble.empty() ? skipped_row(step) : broken_row(step, worker.name + " " + worker.trouble));
    }
    return {};
}

Job RunWork::job_of(std::size_t number) {
    const auto& step = steps[number];
    const auto& variant = *step.variant;
    const auto& worker = step.what.worker->program;
    const auto program = variant.program.empty() ? worker : worker.parent_path() / variant.program;
    const auto row = std::make_shared<RowBuilder>(step);
    const auto end = [this, number] {
        schedule.ended(number);
        running.erase(number);
    };
    running.insert(number);
    Job job{.command = {program.string(), "observe", step.what.scenario->name, variant.name},
            .simulation = step.simulation,
            .faults = variant.faults,
            .fakes = variant.fakes,
            .base = step.what.worker->environment,
            .seconds = settings.seconds > 0 ? settings.seconds : variant.limits.seconds,
            .resident_bytes = variant.limits.resident_bytes};
    const bool on_gpus = !step.simulation.empty() || step.device == Device::real;
    const auto& visible = sees_one_gpu(step) ? settings.first : settings.visible;
    if (on_gpus && visible && !on_gpus_of_its_own(step)) job.variables["CUDA_VISIBLE_DEVICES"] = visible;
    if (!step.simulation.empty()) job.variables["TOCUDA_COMPUTE"] = "1";
    for (const auto& [name, value] : variant.environment)
        job.variables[name] = name == "CUDA_VISIBLE_DEVICES" && (step.device == Device::real || step.planned_as_real)
                                  ? among(settings.usable, value)
                                  : value;
    job.on_line = [row](std::string_view line) {
        row->hear(line);
        return row->fault();
    };
    job.on_end = [this, end, &step, row](const Ended& ended) {
        end();
        desk.submit(*step.what.worker, *step.what.scenario, *step.variant, row->finish(ended));
    };
    job.on_refused = [this, end, &step](const std::string& why) {
        end();
        hand_out(broken_row(step, why));
    };
    return job;
}

void RunWork::look() {
    desk.look_at_the_clock(now());
    if (!closed && over()) {
        closed = true;
        desk.close();
    }
}

void RunWork::abandon() {
    stopping = true;
    desk.abandon();
}

void RunWork::hand_out(const Row& row) {
    if (stopping) return;
    ++done;
    on_row(row);
}

std::string RunWork::progress() const {
    auto text = fmt::format("{} of {} done, {:.0f} s", done, steps.size(), now() - started);
    const char* before = "; running ";
    for (const auto number : running) {
        text += before + steps[number].what.scenario->name;
        before = ", ";
    }
    return text;
}

Schedule::Schedule(const std::vector<Step>& steps, int jobs_at_once) : jobs(jobs_at_once) {
    for (const auto& step : steps)
        entries.push_back({step.device == Device::real || step.planned_as_real, step.times_something()});
}

std::optional<std::size_t> Schedule::take() {
    const auto runs = [](const Entry& entry) { return entry.state == State::runs; };
    const auto running = std::ranges::count_if(entries, runs);
    const bool left_alone =
        std::ranges::any_of(entries, [&](const Entry& entry) { return runs(entry) && entry.alone; });
    if (running >= jobs || left_alone) return std::nullopt;
    const bool gpu_taken = std::ranges::any_of(entries, [&](const Entry& entry) { return runs(entry) && entry.real; });
    const auto next = std::ranges::find_if(entries, [&](const Entry& entry) {
        return entry.state == State::waits && !(entry.real && gpu_taken) && !(entry.alone && running > 0);
    });
    if (next == entries.end()) return std::nullopt;
    next->state = State::runs;
    return static_cast<std::size_t>(next - entries.begin());
}

void Schedule::ended(std::size_t step) { entries.at(step).state = State::over; }

bool Schedule::done() const {
    return std::ranges::all_of(entries, [](const Entry& entry) { return entry.state == State::over; });
}

}  // namespace tocuda
