// tocuda, Apache-2.0.
#include "simulated/replaying.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/engine.hpp"
#include "engine/temporary_folder.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/text_file.hpp"
#include "process/clean_environment.hpp"
#include "process/foreground.hpp"
#include "simulated/simulated_run.hpp"

namespace tocuda {
namespace {

OrExit<std::vector<Replayed>> answer_in(const std::filesystem::path& file, int code) {
    const auto text = read_text(file);
    if (!text) return refuse(nothing_done, fmt::format("the replay ended with exit code {}", code));
    auto answer = replay_answer(*text);
    if (!answer) return refuse(nothing_done, "the replay's answer cannot be read: " + answer.error().what);
    if (const auto* refused = std::get_if<ReplayRefused>(&*answer)) return refuse(refused->code, refused->why);
    return std::get<std::vector<Replayed>>(std::move(*answer));
}

}  // namespace

Python usual_python() {
    Python python;
    std::ifstream built_for(program_folder() / "python.built_for");
    std::getline(built_for, python.program);
    std::getline(built_for, python.torch);
    if (const char* named = std::getenv("TOCUDA_PYTHON"); named && *named) python.program = named;
    if (python.program.empty()) python.program = "python3";
    return python;
}

OrExit<std::vector<Replayed>> replayed_by(const Python& python, const ReplayRequest& request) {
    const TemporaryFolder folder;
    const auto worker = program_folder() / "replay" / "replay_main.py";
    if (!can_simulate() || !std::filesystem::exists(worker))
        return refuse(nothing_done, "this build has no simulated GPUs");
    const auto machine = machine_of("1x1GiB", {}, 1);
    const auto file = write_simulation(folder.path(), *machine);
    if (!file) return refuse(nothing_done, file.error().what);
    const auto asked = folder.path() / "request.json";
    const auto answered = folder.path() / "answer.json";
    std::ofstream(asked) << to_text(request);
    auto environment = with_changes(environment_of_this_process(), simulated_environment(*file, false));
    environment.erase("CUDA_VISIBLE_DEVICES");  // of the GPUs of a program that is not run
    environment["TOCUDA_REPLAY_TORCH"] = python.torch;
    const auto end = run_in_foreground({python.program, "-B", worker, asked, answered}, as_list(environment));
    if (!end) return refuse(nothing_done, end.error().what + "; name a Python with torch: TOCUDA_PYTHON, or --torch");
    if (end->stopped_by != 0) return refuse(128 + end->stopped_by, "stopped");
    return answer_in(answered, end->code);
}

}  // namespace tocuda
