// tocuda, Apache-2.0.
// `tocuda replay`: a memory snapshot of PyTorch, through the allocator of the reader's LibTorch on a simulated GPU.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "command/simulated_environment.hpp"
#include "command/verb.hpp"
#include "engine/engine.hpp"
#include "engine/temporary_folder.hpp"
#include "json_lines/replay_document.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/text_file.hpp"
#include "model/words.hpp"
#include "printing/replay_table.hpp"
#include "process/clean_environment.hpp"
#include "process/foreground.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

// A CUDA context: 22.28 - 22.04 GiB, as published with model-metadata of Hugging Face's data sets.
constexpr std::int64_t context_estimate = 245 << 20;
constexpr int stopped_by_signal = 130;

struct Replaying {
    std::string file{};
    Words settings{};
    Words capacities{};
    Words pythons{};  // of other LibTorch versions
    bool smallest = false;
    bool json = false;
    bool strict = false;
};

Expected<ReplayCapacity> capacity_of(const std::string& name) {
    const auto machine = machine_of("1x" + name, {}, 1);
    if (!machine)
        return problem("--capacity " + name + ": a size (24GiB) or one of " +
                       fmt::format("{}", fmt::join(profile_names(), ", ")) + " is expected");
    const auto bytes = machine->gpus.at(0).memory_bytes;
    const bool is_size = !name.empty() && name[0] >= '0' && name[0] <= '9';
    const auto outside = is_size ? 0 : context_estimate;
    return ReplayCapacity{name, bytes - outside, outside};
}

Expected<std::vector<ReplayCapacity>> capacities_of(const Words& lists) {
    std::vector<ReplayCapacity> capacities;
    for (const auto& list : lists)
        for (const auto& name : parts_of(list, ',')) {
            const auto capacity = capacity_of(name);
            if (!capacity) return problem(capacity.error());
            capacities.push_back(*capacity);
        }
    return capacities;
}

// A Python, and the folder of the package torch that is used if it has none.
struct Python {
    std::string program{};
    std::string torch{};
};

// TOCUDA_PYTHON, or else what this was built for, which an installed tree does not know.
Python usual_python() {
    Python python;
    std::ifstream built_for(program_folder() / "python.built_for");
    std::getline(built_for, python.program);
    std::getline(built_for, python.torch);
    if (const char* named = std::getenv("TOCUDA_PYTHON"); named && *named) python.program = named;
    if (python.program.empty()) python.program = "python3";
    return python;
}

class ReplayWorkers {
public:
    OrExit<Replayed> ask(const Python& python, const ReplayRequest& request) const {
        const auto worker = program_folder() / "replay" / "replay_main.py";
        if (!can_simulate() || !filesystem::exists(worker))
            return refuse(nothing_done, "this build has no simulated GPUs");
        const auto machine = machine_of("1x1GiB", {}, 1);
        const auto file = write_simulation(folder.path(), *machine);
        if (!file) return refuse(nothing_done, file.error().what);
        const auto asked = folder.path() / "request.json";
        const auto answered = folder.path() / "answer.json";
        filesystem::remove(answered);
        std::ofstream(asked) << to_text(request);
        auto environment = with_changes(environment_of_this_process(), simulated_environment(*file, false));
        environment["TOCUDA_REPLAY_TORCH"] = python.torch;
        const auto code = run_in_foreground({python.program, "-B", worker, asked, answered}, as_list(environment));
        if (code && *code == stopped_by_signal) return refuse(*code, "stopped");
        if (!code)
            return refuse(nothing_done, code.error().what + "; name a Python with torch: TOCUDA_PYTHON, or --torch");
        const auto text = read_text(answered);
        if (!text) return refuse(nothing_done, fmt::format("the replay ended with exit code {}", *code));
        auto answer = replay_answer(*text);
        if (!answer) return refuse(nothing_done, "the replay's answer cannot be read: " + answer.error().what);
        if (const auto* refused = std::get_if<ReplayRefused>(&*answer))
            return refuse(refused->code, request.file + ": " + refused->why);
        return std::get<Replayed>(std::move(*answer));
    }

private:
    TemporaryFolder folder;
};

int exit_code(const Replayed& replayed, bool strict) {
    if (!replayed.same.reproduced) return finding;
    bool decided = replayed.same.guesses.empty();
    for (const auto& row : replayed.rows) {
        if (row.settings != replayed.source.settings || row.torch != replayed.torch) continue;
        if (row.capacity_bytes && row.oom) return finding;
        decided = decided && row.basis == "exact" && (row.survived || !row.capacity_bytes);
        decided = decided && (!row.smallest_bytes || row.smallest_basis == "exact");
    }
    return decided || !strict ? as_expected : undecided;
}

int replay(const Replaying& asked) {
    const auto capacities = capacities_of(asked.capacities);
    if (!capacities) return complain(Refusal{usage, capacities.error().what});
    if (!std::ifstream(asked.file)) return complain(Refusal{usage, asked.file + ": cannot be read"});
    ReplayRequest request{.file = asked.file, .settings = asked.settings, .smallest = asked.smallest};
    for (const auto& capacity : *capacities) request.capacities.push_back(capacity.bytes);
    const ReplayWorkers workers;
    auto replayed = workers.ask(usual_python(), request);
    if (!replayed) return complain(replayed.error());
    request.settings.clear();
    for (const auto& python : asked.pythons) {
        auto other = workers.ask({python, ""}, request);
        if (!other) return complain(other.error());
        if (!replayed->same.reproduced && other->same.reproduced)
            complain(fmt::format("tocuda: torch {} reproduces it: set TOCUDA_PYTHON={}", other->torch, python));
        for (auto& row : other->rows) replayed->rows.push_back(std::move(row));
    }
    if (asked.json) print_document(replay_document(*replayed));
    else fmt::print("{}", replay_table(*replayed, *capacities, paper_for_stdout()));
    return exit_code(*replayed, asked.strict);
}

}  // namespace

int replay_verb(const Words& words) {
    Arguments arguments("replay", "Replay a memory snapshot of PyTorch through LibTorch's allocator. Needs no GPU.",
                        {"snapshot.pickle", "snapshot.pickle --settings all --smallest --capacity L4,24GiB"});
    Replaying asked;
    arguments.option("FILE", asked.file, "what torch.cuda.memory._dump_snapshot wrote", "",
                     Arguments::Presence::required);
    arguments.option("--settings", asked.settings, "other settings: PYTORCH_ALLOC_CONF as text, or all");
    arguments.option("--capacity", asked.capacities, "would it survive there: L4,24GiB");
    arguments.flag("--smallest", asked.smallest, "search the smallest memory that survives");
    arguments.option("--torch", asked.pythons, "a Python with another LibTorch, to replay there too");
    arguments.flag("--strict", asked.strict, "exit code 3 if something is guessed or not known");
    arguments.flag("--json", asked.json, "print one document");
    if (const auto code = arguments.parse(words)) return *code;
    for (const auto& settings : asked.settings)
        if (settings.find("backend") != std::string::npos)
            return arguments.refuse("--settings: another backend is not replayed");
    return replay(asked);
}

}  // namespace tocuda
