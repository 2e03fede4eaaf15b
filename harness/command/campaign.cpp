// tocuda, Apache-2.0.
// The event loop over children and judges.
#include "command/campaign.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "command/catalogue.hpp"
#include "command/complaint.hpp"
#include "command/verb.hpp"
#include "process/clean_environment.hpp"
#include "process/fakes_environment.hpp"
#include "process/time.hpp"

namespace tocuda {
namespace {

constexpr double look_seconds = 0.2;
constexpr std::int64_t evidence_bytes = std::int64_t{64} << 20;

}  // namespace

Campaign::Campaign(std::vector<Step> plan, CampaignSettings how, OnRow out)
    : steps(std::move(plan)), schedule(steps, how.jobs), settings(how), on_row(std::move(out)),
      desk(supervisor, how.seconds, [this](const Row& row) { hand_out(row); }) {}

bool Campaign::run() {
    Progress progress(settings.quiet, now());
    desk.look_at_the_clock(now());
    for (const auto& step : steps)
        if (step.what.worker->trouble.empty() && step.skipped.empty() && !step.variant->expected.empty())
            desk.expect_rows(*step.what.worker);
    while (!over()) {
        start_what_may();
        supervisor.step(look_seconds, interruption.descriptor());
        desk.look_at_the_clock(now());
        const int interruptions = interruption.count();
        if (interruptions > 1) end_at_once();
        if (interruptions == 1) break;
        progress.show(now(), done, static_cast<int>(steps.size()), names_running());
    }
    stopping = !over();
    progress.clear();
    if (stopping && !settings.quiet) complain("tocuda: " + interruption.name() + ": stopping running scenarios");
    wind_up();
    return !stopping;
}

// The guardians notice that their pipe is closed, and end all children.
void Campaign::end_at_once() {
    simulations.remove();
    ::_exit(stopped_early);
}

void Campaign::wind_up() {
    if (stopping) {
        desk.abandon();
        supervisor.stop_all("interrupted");
    } else {
        desk.close();
    }
    while (supervisor.running() > 0) {
        supervisor.step(look_seconds, interruption.descriptor());
        desk.look_at_the_clock(now());
        if (interruption.count() > 1) end_at_once();
    }
}

void Campaign::start_what_may() {
    while (const auto next = schedule.take()) {
        const auto& step = steps[*next];
        const auto& worker = *step.what.worker;
        if (worker.trouble.empty() && step.skipped.empty() && start(*next)) continue;
        schedule.ended(*next);
        if (!worker.trouble.empty()) hand_out(broken_row(step, worker.name + " " + worker.trouble));
        else if (!step.skipped.empty()) hand_out(skipped_row(step));
    }
}

// Returns the environment in which a child finds its GPUs and its simulator, recorder or fake driver; or why there is
// none.
std::variant<Environment, std::string> Campaign::environment_of(const Step& step) {
    auto fakes = step.variant->fakes;
    if (!step.simulation.empty()) {
        const auto file = simulations.file_for(step.simulation, step.variant->faults, settings.seed);
        if (!file) return file.wrong;
        std::erase(fakes, "recorder");  // the simulated runtime includes it
        fakes.push_back("runtime " + file->string());
    }
    auto changes = fakes_environment(fakes, program_folder() / "simulator", environment_of_this_process());
    if (const auto* bad = std::get_if<BadFake>(&changes)) return bad->problem;
    auto environment = std::get<Environment>(changes);
    const bool on_gpus = !step.simulation.empty() || step.device == Device::real;
    // --gpus does not apply to simulated GPUs that the variant names itself.
    const bool chosen = !settings.visible_gpus.empty() && step.variant->simulate.empty();
    if (on_gpus && chosen) environment["CUDA_VISIBLE_DEVICES"] = settings.visible_gpus;
    for (const auto& [name, value] : step.variant->environment) environment[name] = value;
    return environment;
}

bool Campaign::start(std::size_t number) {
    const auto& step = steps[number];
    const auto& variant = *step.variant;
    const auto environment = environment_of(step);
    if (const auto* wrong = std::get_if<std::string>(&environment)) {
        hand_out(broken_row(step, *wrong));
        return false;
    }
    const double seconds = settings.seconds > 0 ? settings.seconds : variant.limits.seconds;
    // The id is known only after start(); the callbacks that use it run later, from `step`.
    auto id = std::make_shared<Supervisor::Id>(0);
    const auto& worker = step.what.worker->program;
    const auto program = variant.program.empty() ? worker : worker.parent_path() / variant.program;
    *id = supervisor.start(
        {.command = {program.string(), "observe", step.what.scenario->name, variant.name},
         .environment = child_environment(environment_of_this_process(), {std::get<Environment>(environment)}),
         .seconds = seconds,
         .resident_bytes = variant.limits.resident_bytes,
         .said_bytes = evidence_bytes},
        {[this, id](std::string_view line) {
             auto& row = running.at(*id).row;
             row.hear(line);
             if (!row.fault().empty()) supervisor.stop(*id, row.fault());
         },
         [this, id](const Ended& end) { ended(*id, end); }});
    running.emplace(*id, Running{number, RowBuilder(step)});
    return true;
}

void Campaign::ended(Supervisor::Id id, const Ended& end) {
    auto finished = std::move(running.extract(id).mapped());
    if (end.outcome.stopped == "interrupted") return;  // incomplete: --resume runs it again
    schedule.ended(finished.step);
    const auto& step = steps[finished.step];
    desk.submit(*step.what.worker, *step.what.scenario, *step.variant, finished.row.finish(end));
}

void Campaign::hand_out(const Row& row) {
    if (stopping) return;
    ++done;
    on_row(row);
}

std::vector<std::string> Campaign::names_running() const {
    std::vector<std::string> names;
    for (const auto& [id, one] : running) names.push_back(steps[one.step].what.scenario->name);
    return names;
}

}  // namespace tocuda
