// tocuda, Apache-2.0.
// `tocuda doctor` alone, which scripts/set_up/compile_doctor compiles without CMake and without libraries, so that it
// answers within the first minute. What it cannot do, it is not asked: `--deep` and `--simulate` start all of tocuda.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "command/doctor_deep.hpp"
#include "command/verb.hpp"
#include "engine/engine.hpp"
#include "json_lines/documents.hpp"
#include "json_lines/json.hpp"
#include "machine/probe.hpp"
#include "machine/simulation_spec.hpp"
#include "process/child.hpp"
#include "process/clean_environment.hpp"
#include "process/supervisor.hpp"
#include "terminal/progress.hpp"

namespace tocuda {

std::string json::pretty(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace); }

std::string error_document(const std::string& message, int exit_code) {
    return json::pretty({{"error", {{"message", message}, {"exit_code", exit_code}}}});
}

std::filesystem::path program_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

Answer ask(Job job, const std::string& waiting) {
    constexpr double look_seconds = 0.2;
    Answer answer;
    Supervisor supervisor;
    Progress progress(waiting.empty(), now());
    supervisor.start({.command = job.command,
                      .environment = child_environment(environment_of_this_process(), {job.base, job.variables}),
                      .seconds = job.seconds},
                     {[&](std::string_view line) { answer.said.append(line).append("\n"); },
                      [&](const Ended& end) { answer.ended = end; }});
    while (supervisor.running() > 0) {
        supervisor.step(look_seconds);
        progress.say(now(), waiting);
    }
    return answer;
}

doctor::DeepSeen look_deep(const doctor::Seen&, const DeepRequest&) { throw std::logic_error("--deep is not here"); }

Expected<Simulation> parse_simulation(std::string_view) { throw std::logic_error("--simulate is not here"); }

}  // namespace tocuda

int main(int count, char** arguments) {
    using namespace std::string_literals;
    if (count > 1 && arguments[1] == "__guardian"s) return tocuda::guardian_main(count, arguments);
    if (count > 1 && arguments[1] == "__probe"s) return tocuda::probe_main(count, arguments);
    const tocuda::Words words(arguments + std::min(count, 2), arguments + count);
    int code = tocuda::nothing_done;
    try {
        code = tocuda::doctor_verb(words);
    } catch (const std::exception& error) {
        tocuda::complain(fmt::format("tocuda: {}", error.what()));
    }
    if (std::find(words.begin(), words.end(), "--json") != words.end()) tocuda::print_failure(code);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    tocuda::complain("tocuda: cannot write to standard output: "s + std::strerror(errno));
    return tocuda::stopped_early;
}
