// tocuda, Apache-2.0.
#include "execution/recording.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {

bool prints(const Request& request) { return !request.json && speaks(); }

std::optional<Refusal> why_not_recorded(const Request& request) {
    if (!request.resume.empty()) return std::nullopt;
    const auto writable = check_writable(request.output);
    if (writable) return std::nullopt;
    return Refusal{usage, writable.error().what + "; choose another folder with --output"};
}

RunLine run_line_of(const Request& request, const Place& place, const std::string& verb, const Plan& plan,
                    const FoundRun* resumed) {
    auto line = place.line;
    line.verb = verb;
    line.command = request.command;
    line.seed = plan.seed;
    line.protocol = plan.protocol;
    line.plan = std::make_shared<const Plan>(plan);
    line.labels = resumed ? resumed->last().labels : request.labels;
    if (resumed) line.resumes = resumed->last().run;
    return line;
}

ResultFile open_file(const Request& request, const RunLine& line) {
    return request.resume.empty() ? ResultFile::create(request.output, line) : ResultFile::resume(request.resume, line);
}

EngineSettings engine_settings(const Request& request, const Place& place, const Plan& plan) {
    return {.quiet = request.quiet || request.json || !speaks(),
            .interruptible = true,
            .seed = plan.seed,
            .gpus = place.line.gpus};
}

std::optional<int> run_into(ResultFile& file, Engine& engine, Source& source, const std::string& goes_on) {
    try {
        const bool complete = engine.run(source);
        file.end(complete ? "complete" : "interrupted");
        if (complete) return std::nullopt;
        return complain(Refusal{stopped_early, "stopped before the end; " + goes_on});
    } catch (const RecordError& error) {
        return complain(Refusal{stopped_early, error.what()});
    }
}

}  // namespace tocuda
