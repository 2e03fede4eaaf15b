// tocuda, Apache-2.0.
#include "command/fitting.hpp"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "command/fit_verdict.hpp"
#include "command/replaying.hpp"
#include "command/simulated_run.hpp"
#include "engine/temporary_folder.hpp"
#include "machine/simulation_spec.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

constexpr std::int64_t granule = memory_least;  // in which a simulated GPU counts its memory
constexpr int interrupted = 130;

// What memory depends on besides its size: sizes of workspaces and temporaries.
std::vector<std::int64_t> properties(const SimulatedMachine& machine) {
    std::vector<std::int64_t> all{machine.driver_version};
    for (const auto& gpu : machine.gpus)
        for (const auto value : {gpu.compute_major, gpu.compute_minor, gpu.multiprocessors, gpu.threads_per_block,
                                 gpu.threads_per_multiprocessor, gpu.blocks_per_multiprocessor, gpu.shared_per_block,
                                 gpu.shared_per_block_optin, gpu.shared_per_multiprocessor, gpu.memory_pools,
                                 gpu.virtual_memory, gpu.context_bytes, gpu.mig})
            all.push_back(value);
    return all;
}

SimulatedMachine with_memory(SimulatedMachine machine, std::int64_t bytes) {
    for (auto& gpu : machine.gpus) {
        gpu.memory_bytes = bytes;
        gpu.occupied_bytes = gpu.reclaimable_bytes = gpu.spill_bytes = gpu.memory_limit_bytes = 0;
    }
    return machine;
}

// All files in a folder of ours.
std::vector<std::string> files_in(const filesystem::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

bool holds_out_of_memory(const std::string& recording) {
    std::ifstream lines(recording);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(R"({"action":"oom")")) return true;
    return false;
}

// A user or a batch system ends the program: nothing follows from that.
bool is_stopped(int code) {
    return code == 128 + SIGHUP || code == interrupted || code == 128 + SIGQUIT || code == 128 + SIGTERM;
}

// The words run in a shell, that silences them.
Words silenced(const Words& command) {
    Words words{"/bin/sh", "-c", R"(exec "$@" </dev/null >/dev/null 2>&1)", "sh"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

struct Ran {
    SimulatedEnd end{};
    std::vector<std::string> recordings{};
    bool ran_out_of_memory = false;

    bool survived() const { return end.code == 0 && !ran_out_of_memory; }
};

class Program {
public:
    explicit Program(const Fitting& its) : asked(its) {}

    // LibTorch aborts a few programs by chance, at their very end: one that does has a second chance.
    OrExit<Ran> run(const SimulatedMachine& machine, const Words& command) const {
        auto ran = run_once(machine, command);
        if (!ran || ran->end.code != 128 + SIGABRT || ran->ran_out_of_memory) return ran;
        const auto again = command == asked.command ? silenced(command) : command;
        complain(fmt::format("tocuda: fit: it was aborted ({}), but not out of memory; running it once more",
                             ran->end.code));
        return run_once(machine, again);
    }

    OrExit<Ran> run_with_plenty(const SimulatedMachine& machine) {
        auto ran = run(with_memory(machine, memory_most), shown ? silenced(asked.command) : asked.command);
        if (ran && !shown && !asked.record.empty()) keep(*ran);
        shown = true;
        return ran;
    }

    OrExit<Ran> run_again(const SimulatedMachine& machine, std::int64_t bytes) const {
        complain(fmt::format("tocuda: fit: running it again, silently, with {} MiB", bytes >> 20));
        return run(with_memory(machine, bytes), silenced(asked.command));
    }

private:
    // As `simulate --record` names them: the first process has the name itself.
    void keep(const Ran& ran) const {
        for (const auto& file : ran.recordings) {
            const auto number = filesystem::path(file).extension().string();
            std::error_code failed;
            filesystem::copy_file(file, asked.record + number, filesystem::copy_options::overwrite_existing, failed);
            if (failed) complain("tocuda: " + asked.record + number + ": cannot be written");
        }
    }

    OrExit<Ran> run_once(const SimulatedMachine& machine, const Words& command) const {
        const auto recordings = folder.path() / "recordings";
        filesystem::remove_all(recordings);
        filesystem::create_directory(recordings);
        auto roomy = machine;
        if (!asked.computes) roomy.host_memory_bytes = memory_most * simulated_gpus_most;  // nothing touches it
        SimulatedProgram program{.command = command, .computes = asked.computes, .record = recordings / "memory"};
        if (asked.steps > 0) program.changes["TOCUDA_STEPS"] = std::to_string(asked.steps);
        auto end = run_simulated(folder.path(), roomy, program);
        if (!end) return tl::unexpected(end.error());
        if (is_stopped(end->code)) return refuse(end->code, "stopped");
        Ran ran{*std::move(end), files_in(recordings)};
        ran.ran_out_of_memory = std::ranges::any_of(ran.recordings, holds_out_of_memory);
        return ran;
    }

    const Fitting& asked;
    const TemporaryFolder folder;
    bool shown = false;  // the program has had the terminal
};

std::string first_words(const Fitting& asked) { return "'" + asked.command.at(0) + "'"; }

Refusal why_nothing_is_known(const Fitting& asked, const Ran& ran) {
    if (ran.ran_out_of_memory && !asked.computes)
        return {nothing_done, "the program ran out of memory although each GPU had 1 TiB"};
    if (ran.ran_out_of_memory)
        return {nothing_done,
                "the program ran out of this machine's own memory, in which simulated GPUs keep theirs; "
                "--no-compute needs none"};
    if (ran.end.code != 0)
        return {nothing_done, fmt::format("{} ended with {} where memory was plenty; fit needs a program that ends "
                                          "with 0",
                                          first_words(asked), ran.end.code)};
    return {nothing_done, first_words(asked) + " took no memory of a GPU through LibTorch"};
}

// Of all processes on each device.
struct Sums {
    std::int64_t comfortable = 0;
    std::map<std::string, FitBrink> brinks{};
    std::int64_t processes = 0;
};

void add(const Replayed& replayed, Sums& sums) {
    ++sums.processes;
    sums.comfortable += replayed.same.reserved_peak_bytes;
    for (const auto& row : replayed.rows) {
        if (row.capacity_bytes || !row.smallest_bytes) continue;
        auto& brink = sums.brinks[row.settings];
        brink.settings = row.settings;
        brink.bytes += *row.smallest_bytes;
        for (const auto bytes : row.fails_above_bytes)
            brink.fails_above_bytes = std::max(brink.fails_above_bytes, bytes);
        const auto basis = row.smallest_basis == "exact" ? "replayed" : row.smallest_basis;
        if (brink.basis.empty() || brink.basis == "replayed") brink.basis = basis;
        if (replayed.steps > 0 && row.smallest_retries)
            brink.flushes_per_step = brink.flushes_per_step.value_or(0) +
                                     static_cast<double>(*row.smallest_retries) / static_cast<double>(replayed.steps);
    }
}

FitPeak peak_of(const Replayed& replayed) {
    return {.device = replayed.device,
            .step = replayed.peak.step,
            .line = replayed.peak.line,
            .allocated_bytes = replayed.peak.blocks_bytes,
            .reserved_bytes = replayed.same.reserved_peak_bytes,
            .live = replayed.peak.live};
}

const char* reason_of_note(const std::string& what) {
    if (what == "cudnn") return of_cudnn;
    if (what == "sizes") return of_sizes;
    return of_collectives;
}

void add_not_known(const std::vector<Replayed>& recordings, const Ran& ran, bool computes, bool shared, FitNeed& need) {
    std::set<std::string> said;
    const auto say = [&](std::string text) {
        if (said.insert(text).second) need.not_known.push_back(std::move(text));
    };
    for (const auto& recording : recordings) {
        for (const auto& note : recording.notes) {
            const auto where = note.name + (note.line.empty() ? "" : ", " + note.line);
            const auto* reason = reason_of_note(note.what);
            if (computes && reason == of_sizes) continue;
            say(std::string(reason) + " (" + where + ")");
        }
        if (!recording.same.reproduced) say(of_replay);
    }
    for (const auto& [what, count] : ran.end.counts.not_computed)
        if (computes && !what.first.starts_with("aten::")) say(std::string(of_kernels) + " (" + what.first + ")");
    if (!computes)
        say("nothing was computed: if a value decides what the program does next, a GPU may do something else");
    if (shared) say(of_sums);
}

FitOutside outside_of(const Fitting& asked, const SimulatedMachine& machine) {
    if (asked.outside) return {*asked.outside, 0, "--outside"};
    if (const auto context = machine.gpus.at(0).context_bytes; context > 0) return {context, 0, "the profile"};
    return {memory_outside_libtorch, memory_outside_uncertain,
            "ESTIMATE: the context, as on an H100 with driver 580.159.04"};
}

// Device memory that the program itself took from CUDA is exact.
void add_taken_from_cuda(const std::map<std::int64_t, Sums>& devices, const Ran& ran, FitOutside& outside) {
    std::int64_t taken = 0;
    for (const auto& [device, sums] : devices) {
        const auto index = static_cast<std::size_t>(device);
        if (sums.processes != 1 || index >= ran.end.counts.gpus.size()) continue;
        const auto peak = static_cast<std::int64_t>(ran.end.counts.gpus[index].peak_reserved_bytes);
        taken = std::max(taken, peak - sums.comfortable);
    }
    if (taken < granule) return;
    outside.bytes += taken;
    outside.source += fmt::format("; and {} MiB that the program took from CUDA itself", taken >> 20);
}

class Prover {
public:
    Prover(const Program& its, const SimulatedMachine& on, std::int64_t taken_besides)
        : program(its), machine(on), besides(taken_besides) {}

    // Runs the program at the brink and below; afterwards its basis is "ran" if it survived and failed there.
    OrExit<void> prove(FitBrink& brink) const {
        std::int64_t bytes = brink.bytes;
        std::optional<std::int64_t> failed;
        for (const std::int64_t more : {0, 1, 4, 16}) {
            bytes += more * granule;
            const auto ran = program.run_again(machine, bytes + besides);
            if (!ran) return tl::unexpected(ran.error());
            if (ran->survived()) break;
            if (!ran->ran_out_of_memory) return {};  // it ended for another reason: nothing is shown
            failed = bytes;
        }
        if (failed == bytes) {
            brink.bytes = brink.failed_at_bytes.emplace(bytes);
            brink.basis = "more than";
            return {};
        }
        if (!failed && bytes > granule) {
            const auto ran = program.run_again(machine, bytes - granule + besides);
            if (!ran) return tl::unexpected(ran.error());
            if (ran->ran_out_of_memory) failed = bytes - granule;
        }
        brink.bytes = bytes;
        brink.failed_at_bytes = failed;
        brink.basis = "ran";
        return {};
    }

private:
    const Program& program;
    const SimulatedMachine& machine;
    std::int64_t besides;
};

class NeedFinder {
public:
    explicit NeedFinder(const Fitting& its) : asked(its), program(its) {}

    OrExit<FitNeed> of(const SimulatedMachine& machine) {
        auto ran = program.run_with_plenty(machine);
        if (!ran) return tl::unexpected(ran.error());
        if (ran->end.code != 0 || ran->ran_out_of_memory || ran->recordings.empty())
            return tl::unexpected(why_nothing_is_known(asked, *ran));
        complain("tocuda: fit: replaying what the allocator did, with less memory");
        const ReplayRequest request{
            .files = ran->recordings, .every_device = true, .settings = asked.settings, .smallest = true};
        const auto recordings = replayed_by(usual_python(), request);
        if (!recordings) return tl::unexpected(recordings.error());
        if (recordings->empty()) return tl::unexpected(why_nothing_is_known(asked, *ran));
        return need_of(machine, *ran, *recordings);
    }

private:
    OrExit<FitNeed> need_of(const SimulatedMachine& machine, const Ran& ran, const std::vector<Replayed>& recordings) {
        std::map<std::int64_t, Sums> devices;
        for (const auto& recording : recordings) add(recording, devices[recording.device]);
        const auto& [device, most] =
            *std::ranges::max_element(devices, {}, [](const auto& each) { return each.second.comfortable; });
        FitNeed need;
        for (const auto& recording : recordings) {
            need.steps = std::max(need.steps, recording.steps);
            if (recording.device == device && recording.peak.blocks_bytes > need.peak.allocated_bytes)
                need.peak = peak_of(recording);
        }
        need.processes = static_cast<std::int64_t>(recordings.size());
        need.outside = outside_of(asked, machine);
        const auto estimated = need.outside.bytes;
        add_taken_from_cuda(devices, ran, need.outside);
        const bool shared = need.processes > static_cast<std::int64_t>(devices.size());
        if (!asked.outside) need.outside.bytes += estimated * (most.processes - 1);
        need.outside.uncertain_bytes *= most.processes;
        need.comfortable_bytes = most.comfortable + need.outside.bytes;
        need.host = {static_cast<std::int64_t>(ran.end.counts.peak_pageable_bytes),
                     static_cast<std::int64_t>(ran.end.counts.peak_pinned_bytes)};
        set_brinks(recordings.at(0).source.settings, devices, need);
        add_not_known(recordings, ran, asked.computes, shared, need);
        if (shared) return need;
        const Prover prover(program, machine, need.outside.bytes - estimated + machine.gpus.at(0).context_bytes);
        if (const auto proved = prover.prove(need.brink.at(0)); !proved) return tl::unexpected(proved.error());
        return need;
    }

    // That of the device that needs most; the program's own settings first.
    static void set_brinks(const std::string& own, const std::map<std::int64_t, Sums>& devices, FitNeed& need) {
        std::map<std::string, FitBrink> brinks;
        for (const auto& [device, sums] : devices)
            for (const auto& [settings, brink] : sums.brinks)
                if (const auto known = brinks.find(settings);
                    known == brinks.end() || known->second.bytes < brink.bytes)
                    brinks[settings] = brink;
        if (const auto first = brinks.find(own); first != brinks.end()) need.brink.push_back(first->second);
        for (const auto& [settings, brink] : brinks)
            if (settings != own) need.brink.push_back(brink);
    }

    const Fitting& asked;
    Program program;
};

Words with_value(const Words& command, const FitVariation& variation, std::int64_t value) {
    const auto mark = "{" + variation.name + "}";
    Words words = command;
    for (auto& word : words)
        for (auto at = word.find(mark); at != std::string::npos; at = word.find(mark))
            word.replace(at, mark.size(), std::to_string(value));
    return words;
}

// Runs the program with several values; with plenty of memory, so that all targets of equal properties share them.
class Variation {
public:
    explicit Variation(const Fitting& its) : asked(its), program(its) {}

    OrExit<FitVaried> largest(const FitTarget& target) {
        const auto& variation = *asked.variation;
        const auto& gpu = target.machine.gpus.at(0);
        FitVaried varied{.gpu = target.name, .name = variation.name, .memory_bytes = gpu.memory_bytes};
        std::int64_t fits = variation.least - 1, fails = variation.most + 1;
        std::int64_t next = variation.least;
        while (fails - fits > 1) {
            const auto needed = bytes_with(next, target.machine);
            if (!needed) return tl::unexpected(needed.error());
            if (next == variation.least) varied.bytes = *needed;
            if (*needed <= gpu.memory_bytes - gpu.occupied_bytes) {
                fits = next;
                varied.largest = next;
                varied.bytes = *needed;
            } else {
                fails = next;
            }
            next = fails > variation.most ? variation.most : (fits + fails) / 2;
        }
        varied.is_last = varied.largest == variation.most;
        return varied;
    }

private:
    OrExit<std::int64_t> bytes_with(std::int64_t value, const SimulatedMachine& machine) {
        const auto key = std::pair(value, properties(machine));
        if (const auto known = seen.find(key); known != seen.end()) return known->second;
        const auto& variation = *asked.variation;
        complain(fmt::format("tocuda: fit: running it silently with {} = {}", variation.name, value));
        const auto ran =
            program.run(with_memory(machine, memory_most), silenced(with_value(asked.command, variation, value)));
        if (!ran) return tl::unexpected(ran.error());
        if (ran->ran_out_of_memory) return seen[key] = memory_most;  // more than any GPU has
        if (ran->end.code != 0) {
            auto why = why_nothing_is_known(asked, *ran);
            why.why += fmt::format(" ({} = {})", variation.name, value);
            return tl::unexpected(why);
        }
        std::uint64_t most = 0;
        for (const auto& gpu : ran->end.counts.gpus) most = std::max(most, gpu.peak_reserved_bytes);
        const auto bytes = static_cast<std::int64_t>(most) + outside_of(asked, machine).bytes;
        return seen[key] = bytes;
    }

    const Fitting& asked;
    Program program;
    std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, std::int64_t> seen{};
};

Refusal of_gpu(const FitTarget& target, Refusal why) {
    why.why = target.name + ": " + why.why;
    return why;
}

// The same verdict, with the same doubts, as `fit` of this value alone.
OrExit<void> judge_with(const Fitting& asked, const FitTarget& target, std::int64_t value, Fitted& answer) {
    Fitting alone = asked;
    alone.command = silenced(with_value(asked.command, *asked.variation, value));
    auto need = NeedFinder(alone).of(target.machine);
    if (!need) return tl::unexpected(need.error());
    answer.gpus.push_back(judged(target, *need));
    answer.gpus.back().need = answer.needs.size();
    answer.needs.push_back(*std::move(need));
    return {};
}

OrExit<Fitted> varied(const Fitting& asked) {
    Fitted answer;
    Variation variation(asked);
    for (const auto& target : asked.targets) {
        auto found = variation.largest(target);
        if (!found) return tl::unexpected(of_gpu(target, found.error()));
        answer.varied.push_back(*std::move(found));
        if (const auto& largest = answer.varied.back().largest)
            if (const auto judged = judge_with(asked, target, *largest, answer); !judged)
                return tl::unexpected(judged.error());
    }
    return answer;
}

// What the host needs differs a little from run to run.
bool equal(const FitNeed& one, const FitNeed& other) {
    return one.comfortable_bytes == other.comfortable_bytes && one.peak.allocated_bytes == other.peak.allocated_bytes &&
           one.brink[0].bytes == other.brink[0].bytes && one.not_known == other.not_known;
}

}  // namespace

OrExit<Fitted> fitted(const Fitting& asked) {
    if (asked.variation) return varied(asked);
    Fitted answer;
    NeedFinder needs(asked);
    std::map<std::vector<std::int64_t>, std::size_t> known;
    for (const auto& target : asked.targets) {
        const auto its = properties(target.machine);
        if (!known.contains(its)) {
            auto need = needs.of(target.machine);
            if (!need) return tl::unexpected(of_gpu(target, need.error()));
            const auto same =
                std::ranges::find_if(answer.needs, [&](const FitNeed& each) { return equal(each, *need); });
            known[its] = static_cast<std::size_t>(same - answer.needs.begin());
            if (same == answer.needs.end()) answer.needs.push_back(*std::move(need));
        }
        answer.gpus.push_back(judged(target, answer.needs[known[its]]));
        answer.gpus.back().need = known[its];
    }
    return answer;
}

}  // namespace tocuda
