// tocuda, Apache-2.0.
#include "engine/engine.hpp"

#include <fmt/core.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "model/forecast.hpp"
#include "process/child.hpp"
#include "process/clean_environment.hpp"
#include "terminal/complaint.hpp"
#include "terminal/progress.hpp"

namespace tocuda {
namespace {

constexpr double look_seconds = 0.2;

class Question : public Source {
public:
    Question(Job one, std::string what) : job(std::move(one)), waiting(std::move(what)) {
        job.on_line = [this](std::string_view line) {
            answer.said.append(line).append("\n");
            return std::string();
        };
        job.on_end = [this](const Ended& end) { answer.ended = end; };
        job.on_refused = [this](const std::string& why) { answer.ended.outcome.stopped = why; };
    }
    std::vector<Job> next() override { return std::exchange(asked, true) ? std::vector<Job>{} : std::vector<Job>{job}; }
    std::string progress() const override { return waiting; }

    Answer answer;

private:
    Job job;
    std::string waiting;
    bool asked = false;
};

}  // namespace

Interruption::Interruption() {
    sigset_t caught;
    sigemptyset(&caught);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) sigaddset(&caught, signal);
    sigprocmask(SIG_BLOCK, &caught, &before);
    signals = ::signalfd(-1, &caught, SFD_NONBLOCK | SFD_CLOEXEC);
}

Interruption::~Interruption() {
    count();  // reads those that have arrived, or unblocking would deliver them
    if (signals >= 0) ::close(signals);
    sigprocmask(SIG_SETMASK, &before, nullptr);
}

int Interruption::count() {
    signalfd_siginfo info{};
    while (::read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo == SIGPIPE) continue;  // nobody reads the output, but the file is still written
        ++seen;
        last = info.ssi_signo == SIGINT    ? "Ctrl-C"
               : info.ssi_signo == SIGTERM ? "SIGTERM"
               : info.ssi_signo == SIGQUIT ? "SIGQUIT"
                                           : "SIGHUP";
    }
    return seen;
}

std::filesystem::path program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

Engine::Engine(EngineSettings how) : settings(std::move(how)), supervisor(settings.guardian) {
    if (!settings.interruptible) return;
    interruption.emplace();
    simulations.emplace();
}

bool Engine::run(Source& source) {
    Progress progress(settings.quiet, now());
    for (start_what_may(source); supervisor.running() > 0; start_what_may(source)) {
        supervisor.step(look_seconds, interruption ? interruption->descriptor() : -1);
        source.look();
        if (settings.ends_at && now() >= *settings.ends_at) supervisor.stop_all(std::string(budget_word));
        heed_signals(source);
        if (stopping) progress.clear();
        else progress.say(now(), probing > 0 ? "asking the driver whether the GPUs still work" : source.progress());
    }
    return !stopping;
}

// The first signal stops the run so that it can be recorded, the second ends it at once.
void Engine::heed_signals(Source& source) {
    const int signals = interruption ? interruption->count() : 0;
    if (signals > 1) end_at_once();
    if (signals == 0 || stopping || source.over()) return;
    stopping = true;
    if (!settings.quiet) complain("tocuda: " + interruption->name() + ": stopping all processes");
    source.abandon();
    supervisor.stop_all("interrupted");
}

// The guardians notice that their pipe is closed, and end all children.
void Engine::end_at_once() {
    if (simulations) simulations->remove();
    if (meetings) meetings->remove();
    ::_exit(stopped_early);
}

void Engine::start_what_may(Source& source) {
    while (!stopping && probing == 0) {
        auto jobs = source.next();
        if (jobs.empty()) return;
        const auto meeting = jobs.size() > 1 ? meeting_of(jobs.size()) : nullptr;
        for (auto& job : jobs) start(std::move(job), meeting, source);
    }
}

Engine::Meeting Engine::meeting_of(std::size_t members) {
    if (!meetings) meetings.emplace();
    return std::make_shared<MeetingFile>(meetings->path() / std::to_string(next_meeting++),
                                         static_cast<std::uint32_t>(members));
}

void Engine::start(Job job, const Meeting& meeting, Source& source) {
    const auto environment = environment_of(job, meeting);
    if (!environment) {
        if (meeting) meeting->leave();
        return job.on_refused(environment.error().what);
    }
    const Child child{.command = job.command,
                      .environment = child_environment(environment_of_this_process(), {job.base, *environment}),
                      .seconds = job.seconds,
                      .resident_bytes = job.resident_bytes,
                      .keep_input = !job.input.empty()};
    // The callbacks need the id, which is known only after `start`; they are called later, from `step`.
    auto id = std::make_shared<Supervisor::Id>(0);
    const auto input = std::move(job.input);
    const auto shared = std::make_shared<const Job>(std::move(job));
    *id = supervisor.start(
        child, {[this, id, shared](std::string_view line) {
                    const auto wrong = stopping ? std::string() : shared->on_line(line);
                    if (!wrong.empty()) supervisor.stop(*id, wrong);
                },
                [this, shared, meeting, &source](const Ended& end) { ended(*shared, end, meeting, source); }});
    if (input.empty()) return;
    supervisor.send(*id, input);
    supervisor.close_input(*id);
}

void Engine::ended(const Job& job, const Ended& end, const Meeting& meeting, Source& source) {
    if (meeting) meeting->leave();
    if (stopping) return;
    job.on_end(end);
    if (!job.gpus.empty() && !end.outcome.normal() && end.outcome.stopped != budget_word) probe(job, source);
}

// Starts a probe in the environment of a child that ended abnormally, but with all GPUs visible.
void Engine::probe(const Job& after, Source& source) {
    const auto said = std::make_shared<std::string>();
    ++probing;
    start({.command = {"/proc/self/exe", "__probe"},
           .simulation = after.simulation,
           .seconds = probe_seconds,
           .on_line =
               [said](std::string_view line) {
                   said->append(line).append("\n");
                   return std::string();
               },
           .on_end =
               [this, said, gpus = after.gpus, &source](const Ended& end) {
                   --probing;
                   if (end.outcome.stopped != budget_word) judge_gpus(gpus, *said, end, source);
               },
           .on_refused = [this](const std::string&) { --probing; }},
          nullptr, source);
}

void Engine::judge_gpus(const std::vector<int>& gpus, const std::string& said, const Ended& end, Source& source) {
    const auto report = probe_report_of(said);
    for (const int gpu : gpus) {
        const auto& uuid = settings.gpus.at(static_cast<std::size_t>(gpu)).uuid;
        const auto why = why_sick(report, describe_end(end.outcome), uuid);
        if (why.empty()) continue;
        const auto what = fmt::format("GPU {} ({}) is not used any further: {}", gpu, uuid.value_or("no UUID"), why);
        complain("tocuda: " + what);
        source.lost(gpu, what);
    }
}

Expected<Environment> Engine::environment_of(const Job& job, const Meeting& meeting) {
    auto fakes = job.fakes;
    if (!job.simulation.empty()) {
        if (!simulations) simulations.emplace();
        const auto file = simulations->file_for(job.simulation, job.faults, settings.seed);
        if (!file) return problem(file.error());
        std::erase(fakes, "recorder");  // the simulated runtime includes it
        fakes.push_back("runtime " + file->string());
    }
    auto changes =
        fakes_environment(fakes, program_folder() / "simulator", with_changes(environment_of_this_process(), job.base));
    if (!changes) return problem(changes.error());
    auto& environment = *changes;
    if (meeting) environment[meeting_variable] = meeting->path().string();
    environment = with_changes(std::move(environment), job.variables);
    // An installed worker finds LibTorch on this path, which therefore precedes a variant's as RPATH does when built.
    const std::string path = "LD_LIBRARY_PATH";
    const auto own = job.variables.find(path), base = job.base.find(path);
    if (own != job.variables.end() && own->second && base != job.base.end() && base->second)
        environment[path] = *base->second + ":" + *own->second;
    if (!job.libraries.empty()) {
        const auto rest = with_changes(with_changes(environment_of_this_process(), job.base), environment);
        const auto others = rest.find(path);
        const bool has_some = others != rest.end() && others->second && !others->second->empty();
        environment[path] = job.libraries + (has_some ? ":" + *others->second : "");
    }
    return std::move(environment);
}

Answer ask(std::vector<std::string> command, double seconds, const std::string& waiting, Environment variables) {
    return ask({.command = std::move(command), .variables = std::move(variables), .seconds = seconds}, waiting);
}

Answer ask(Job job, const std::string& waiting) {
    Question question(std::move(job), waiting);
    Engine engine(EngineSettings{.quiet = waiting.empty()});
    engine.run(question);
    return question.answer;
}

std::string why_sick(const ProbeReport& report, const std::string& how_it_ended,
                     const std::optional<std::string>& uuid) {
    if (!report.finished) return "the driver's probe " + how_it_ended;
    if (report.init.value_or(-1) != 0)
        return fmt::format("cuInit returns {} {}", report.init.value_or(-1), report.init_text);
    if (report.devices.value_or(0) == 0) return "the driver no longer finds any GPU";
    if (!uuid) return "";
    // A GPU without a UUID may be the one.
    const auto may_be_it = [&](const Gpu& gpu) { return !gpu.uuid || gpu.uuid == uuid; };
    const bool there =
        std::ranges::any_of(report.gpus, may_be_it) || std::ranges::any_of(report.mig_instances, may_be_it);
    return there ? "" : "the driver no longer finds it";
}

}  // namespace tocuda
