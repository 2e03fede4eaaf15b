// tocuda, Apache-2.0.
// `tocuda replay`: a memory snapshot of PyTorch, through the allocator of the reader's LibTorch on a simulated GPU.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "command/verb.hpp"
#include "engine/temporary_folder.hpp"
#include "json_lines/documents.hpp"
#include "machine/simulation_spec.hpp"
#include "model/nearest.hpp"
#include "model/words.hpp"
#include "printing/replay_table.hpp"
#include "simulated/replaying.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

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
    const bool is_size = !name.empty() && (std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '-');
    if (const auto size = parse_memory(name); is_size && !size) return problem("--capacity: " + size.error().what);
    if (!machine)
        return problem(fmt::format("--capacity {}: a size (24GiB) or one of {} is expected{}", name,
                                   fmt::join(profile_names(), ", "), suggestion(name, profile_names())));
    const auto bytes = machine->gpus.at(0).memory_bytes;
    const auto outside = is_size ? 0 : memory_outside_libtorch;
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

int exit_code(const Replayed& replayed, bool strict) {
    if (!replayed.same.reproduced) return finding;
    const auto& source = replayed.source;
    bool decided = replayed.same.guesses.empty() && source.truncated != true && source.stopped != true;
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
    ReplayRequest request{.files = {asked.file}, .settings = asked.settings, .smallest = asked.smallest};
    for (const auto& capacity : *capacities) request.capacities.push_back(capacity.bytes);
    auto answers = replayed_by(usual_python(), request);
    if (!answers) return complain(answers.error());
    Replayed& replayed = answers->at(0);
    request.settings.clear();
    for (const auto& python : asked.pythons) {
        auto others = replayed_by({python, ""}, request);
        if (!others) return complain(others.error());
        Replayed& other = others->at(0);
        if (!replayed.same.reproduced && other.same.reproduced)
            complain(fmt::format("tocuda: torch {} reproduces it: set TOCUDA_PYTHON={}", other.torch, python));
        for (auto& row : other.rows) replayed.rows.push_back(std::move(row));
    }
    if (asked.json) print_document(replay_document(replayed));
    else fmt::print("{}", replay_table(replayed, *capacities, paper_for_stdout()));
    return exit_code(replayed, asked.strict);
}

}  // namespace

int replay_verb(const Words& words) {
    Arguments arguments("replay", "Replay a memory snapshot of PyTorch, without a GPU.",
                        {"snapshot.pickle", "snapshot.pickle --settings all --smallest --capacity L4,24GiB"});
    arguments.exits(
        "0 reproduced; 1 it differs; 2 unreadable; 3 guessed or open (--strict); 4 never started, or failed otherwise");
    Replaying asked;
    arguments.option("FILE", asked.file, "of torch.cuda.memory._dump_snapshot or simulate --record", "",
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
