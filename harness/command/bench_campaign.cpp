// tocuda, Apache-2.0.
#include "command/bench_campaign.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "command/bench_child.hpp"
#include "command/bench_units.hpp"
#include "command/bench_words.hpp"
#include "command/complaint.hpp"
#include "command/verb.hpp"
#include "model/cut_for_time.hpp"
#include "process/clean_environment.hpp"
#include "process/time.hpp"
#include "record/row_id.hpp"

namespace tocuda {
namespace {

constexpr double look_seconds = 0.2;
constexpr int silent_ends_most = 2;

}  // namespace

BenchCampaign::BenchCampaign(BenchRounds& what, BenchSettings how, OnRow out)
    : rounds(what), settings(std::move(how)), on_row(std::move(out)), next_process(settings.first_process) {
    if (settings.device != Device::simulated) settings.jobs = 1;
}

bool BenchCampaign::run() {
    Progress progress(settings.quiet, now());
    hand_out_skipped();
    for (start_what_may(); supervisor.running() > 0; start_what_may()) {
        supervisor.step(look_seconds, interruption.descriptor());
        end_what_overruns();
        const int interruptions = interruption.count();
        if (interruptions > 1) ::_exit(stopped_early);  // the guardians see the pipe close and end all children
        if (interruptions == 1) {
            stopping = true;
            break;
        }
        progress.say(now(), what_goes_on());
    }
    progress.clear();
    if (stopping && !settings.quiet) complain("tocuda: " + interruption.name() + ": stopping all processes");
    if (stopping) supervisor.stop_all("interrupted");
    while (supervisor.running() > 0) {
        supervisor.step(look_seconds, interruption.descriptor());
        if (interruption.count() > 1) ::_exit(stopped_early);
    }
    hand_out_cut_short();
    return !stopping;
}

// A process that runs past the budget was estimated wrongly or hangs; the whole measurement must not wait for it.
void BenchCampaign::end_what_overruns() {
    const auto last = rounds.ends_at();
    if (!last || now() - settings.started < *last) return;
    supervisor.stop_all(std::string(budget_word));
}

// A child was ended because the time ran out: its answers count, the rest of its sets is cut short.
void BenchCampaign::part_for_time(const Running& child) {
    if (child.group) child.group->meeting.leave();
    if (child.group && --child.group->running > 0) return;
    rounds.cut(child.what, child.what.sets);
}

void BenchCampaign::hand_out_cut_short() {
    for (const auto& one : rounds.cut_short()) {
        const auto why = cut_short_check(one, rounds.least(), rounds.limit_seconds());
        auto samples = without_samples(one.unit, one.set, Status::skipped, why);
        samples.flags.emplace_back(budget_word);
        hand_out_without(one.unit, one.round, samples);
    }
}

void BenchCampaign::hand_out_skipped() {
    for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
        if (const auto& why = rounds.all()[unit].skipped; !why.empty()) give_up_on(unit, why, Status::skipped);
}

void BenchCampaign::start_what_may() {
    while (static_cast<int>(running.size()) < settings.jobs && probes.empty()) {
        auto next = rounds.take(now() - settings.started);
        if (!next) return;
        if (rounds.round() != round_shown) in_round = rounds.waiting() + 1;
        round_shown = rounds.round();
        start(*next);
    }
}

std::variant<Environment, std::string> BenchCampaign::environment_of(const std::vector<int>& gpus, int process,
                                                                     const Group* group,
                                                                     std::filesystem::path& simulation) {
    if (!settings.simulation.empty()) {
        const auto file = simulations.file_for(settings.simulation, {}, settings.seed);
        if (!file) return file.wrong;
        simulation = *file;
    }
    auto environment = measuring_environment(simulation, gpus, static_cast<int>(settings.gpus.size()));
    auto* changes = std::get_if<Environment>(&environment);
    // Seeds the simulated noise, which must differ from process to process.
    if (changes && !simulation.empty()) (*changes)["TOCUDA_SIMULATION_PROCESS"] = std::to_string(process);
    if (changes && group) (*changes)[meeting_variable] = group->meeting.path().string();
    return environment;
}

void BenchCampaign::start(const Assignment& next) {
    const auto& unit = rounds.all()[next.unit];
    if (!unit.at_once) return start_process(next, unit.gpus, nullptr);
    if (!meetings) meetings.emplace();
    const auto file = meetings->path() / std::to_string(next_process);
    const std::shared_ptr<Group> group(
        new Group{{file, static_cast<std::uint32_t>(unit.gpus.size())}, unit.gpus.size()});
    for (const int gpu : unit.gpus) start_process(next, {gpu}, group);
}

void BenchCampaign::start_process(const Assignment& next, const std::vector<int>& gpus,
                                  const std::shared_ptr<Group>& group) {
    const int process = next_process++;
    const auto& unit = rounds.all()[next.unit];
    Running child{next, gpus, process, now(), {unit.sweep->benchmark.clock, next.sets, uuids_of(gpus, settings.gpus)},
                  {},   group};
    const auto environment = environment_of(gpus, process, group.get(), child.simulation);
    if (const auto* wrong = std::get_if<std::string>(&environment)) {
        part(child, {});
        give_up_on(next.unit, *wrong, Status::failed);
        return;
    }
    // The callbacks need the identifier, which is only known after `start`; they are called later, from `step`.
    auto id = std::make_shared<Supervisor::Id>(0);
    const double beside = settings.jobs * static_cast<double>(group ? unit.gpus.size() : 1);
    const double seconds =
        settings.seconds > 0 ? settings.seconds : beside * seconds_to_measure(next.sets, settings.protocol);
    *id = supervisor.start(
        {.command = {program_of(*unit.sweep->worker, !settings.simulation.empty()), "measure",
                     unit.sweep->benchmark.name},
         .environment = child_environment(environment_of_this_process(), {std::get<Environment>(environment)}),
         .seconds = seconds,
         .keep_input = true},
        {[this, id](std::string_view line) { heard(*id, line); }, [this, id](const Ended& end) { ended(*id, end); }});
    supervisor.send(*id, words_for(settings.protocol, next.sets));
    supervisor.close_input(*id);
    running.emplace(*id, std::move(child));
}

// A process of an assignment has ended. A group, one process per GPU, has ended when its last process has.
void BenchCampaign::part(const Running& child, std::vector<Parameters> left_over) {
    if (child.group) {
        child.group->meeting.leave();
        for (const auto& set : left_over)
            child.group->left.push_back(
                {child.gpus, child.process,
                 without_samples(child.what.unit, set, Status::failed, "its process had already ended")});
        if (--child.group->running > 0) return;
        left_over = left_by_all(child.what, *child.group);
    }
    rounds.ended(child.what, now() - child.since, std::move(left_over));
}

// Returns the sets that the whole group measures again. For every other set, hands out each process's reason.
std::vector<Parameters> BenchCampaign::left_by_all(const Assignment& what, const Group& group) {
    const auto has = [](const std::vector<Parameters>& sets, const Parameters& set) {
        return std::find(sets.begin(), sets.end(), set) != sets.end();
    };
    std::vector<Parameters> again;
    for (const auto& [gpus, process, samples] : group.left) {
        if (has(group.lost, samples.parameters)) hand_out(what, gpus, process, samples);
        else if (!has(again, samples.parameters)) again.push_back(samples.parameters);
    }
    return again;
}

void BenchCampaign::heard(Supervisor::Id id, std::string_view line) {
    auto& child = running.at(id);
    const auto samples = child.measuring.hear(line);
    if (!samples) return supervisor.stop(id, child.measuring.fault());
    if (child.group && samples->check == neighbour_has_ended) {
        child.group->left.push_back({child.gpus, child.process, *samples});
        return;
    }
    const bool has_time = samples->status == Status::ok || samples->status == Status::invalid;
    if (child.group && !has_time) child.group->lost.push_back(samples->parameters);
    hand_out(child.what, child.gpus, child.process, *samples);
}

void BenchCampaign::ended(Supervisor::Id id, const Ended& end) {
    if (const auto probe = probes.find(id); probe != probes.end()) {
        const auto probing = std::move(probes.extract(probe).mapped());
        if (!stopping && end.outcome.stopped != budget_word) judge_gpus(probing, end);
        return;
    }
    const auto child = std::move(running.extract(id).mapped());
    if (stopping || end.outcome.stopped == "interrupted") return;  // --resume repeats it
    if (end.outcome.stopped == budget_word) return part_for_time(child);
    auto finish = child.measuring.finish(end);
    if (finish.at_hand) {
        hand_out(child.what, child.gpus, child.process, *finish.at_hand);
        if (child.group) child.group->lost.push_back(finish.at_hand->parameters);
    }
    part(child, finish.left_over);
    auto& silent = silent_ends[child.what.unit];
    silent = finish.abnormal && child.measuring.answered() == 0 ? silent + 1 : 0;
    const auto why = finish.at_hand ? finish.at_hand->check : "it reported a failed call";
    if (silent == silent_ends_most)
        give_up_on(child.what.unit,
                   fmt::format("not measured: {} processes in a row returned nothing; the last: {}", silent, why),
                   Status::failed);
    if (finish.abnormal) look_at_gpus(child);
}

Samples BenchCampaign::without_samples(std::size_t unit, const Parameters& set, Status status,
                                       const std::string& why) const {
    return {.parameters = set, .status = status, .check = why, .clock = rounds.all()[unit].sweep->benchmark.clock};
}

// Records a row for each set that has none, so that no set is missing without a reason.
void BenchCampaign::give_up_on(std::size_t unit, const std::string& why, Status status) {
    rounds.drop(unit);
    for (const auto& set : rounds.sets_without_a_row(unit))
        hand_out_without(unit, rounds.round(), without_samples(unit, set, status, why));
}

// Hands out a row that no process measured, under the number of the next process. If several GPUs are measured at once,
// each gets a row.
void BenchCampaign::hand_out_without(std::size_t unit, int round, const Samples& samples) {
    const auto& of = rounds.all()[unit];
    std::vector<std::vector<int>> places{of.gpus};
    if (of.at_once) {
        places.clear();
        for (const int gpu : of.gpus) places.push_back({gpu});
    }
    for (const auto& gpus : places) hand_out({unit, round, {}}, gpus, next_process, samples);
}

void BenchCampaign::hand_out(const Assignment& of, const std::vector<int>& gpus, int process, Samples samples) {
    if (stopping) return;
    const auto& unit = rounds.all()[of.unit];
    if (samples.gpu.empty() && !gpus.empty())
        samples.gpu = settings.gpus.at(static_cast<std::size_t>(gpus[0])).uuid.value_or("");
    rounds.hear(of.unit, of.round, samples);
    if (unit.at_once) samples.parameters[at_once_parameter] = static_cast<std::int64_t>(unit.gpus.size());
    const bool on_gpu = !settings.simulation.empty() || !unit.gpus.empty();
    MeasurementRow row{.benchmark = unit.sweep->benchmark.name,
                       .id = row_id(unit.sweep->benchmark.name, samples.parameters, settings.protocol.version),
                       .device = on_gpu ? settings.device : Device::none,
                       .stand_in = {},
                       .round = of.round,
                       .process = process,
                       .samples = std::move(samples)};
    if (!settings.simulation.empty()) row.stand_in.push_back("runtime " + settings.simulation);
    // A process that died did not report its peer GPU, but earlier ones did.
    auto& peer = peers[row.id + row.samples.gpu];
    if (row.samples.peer.empty()) row.samples.peer = peer;
    peer = row.samples.peer;
    on_row(of.unit, row);
    if (row.samples.status == Status::ok) latest = one_line(row);
}

std::string BenchCampaign::what_goes_on() const {
    if (!probes.empty()) return "asking the driver whether the GPUs still work";
    const auto done = std::max(0, in_round - rounds.waiting() - static_cast<int>(running.size()));
    return progress_text(rounds, done, in_round, now() - settings.started, latest);
}

}  // namespace tocuda
