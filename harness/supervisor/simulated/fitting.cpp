// tocuda, Apache-2.0.
#include "simulated/fitting.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "machine/simulation_spec.hpp"
#include "simulated/fit_program.hpp"
#include "simulated/replaying.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::int64_t granule = memory_least;  // in which a simulated GPU counts its memory

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

std::string first_words(const Fitting& asked) { return "'" + asked.command.at(0) + "'"; }

std::string lacking_torch(const SimulatedEnd& end) {
    const auto why = why_it_used_no_gpu(end.code, end.counts);
    return why.empty() ? "" : "; " + why;
}

Refusal why_nothing_is_known(const Fitting& asked, const FitRun& ran) {
    if (ran.ran_out_of_memory && !asked.computes)
        return {finding, "NOT on any GPU: the program ran out of memory although each had 1 TiB"};
    if (ran.ran_out_of_memory)
        return {nothing_done,
                "the program ran out of this machine's own memory, in which simulated GPUs keep theirs; "
                "--no-compute needs none"};
    if (ran.end.code != 0)
        return {nothing_done, fmt::format("{} {} although memory was plentiful; fit needs a program that ends with 0{}",
                                          first_words(asked), ended_words(ran.end.code), lacking_torch(ran.end))};
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
        brink.flushes += row.smallest_retries.value_or(0);
    }
}

FitPeak peak_of(const Replayed& replayed) {
    return {.device = replayed.device,
            .recorded = replayed.peak,
            .allocated_bytes = allocated_peak(replayed),
            .reserved_bytes = replayed.same.reserved_peak_bytes};
}

const char* reason_of_note(const std::string& what) {
    if (what == "cudnn") return of_cudnn;
    if (what == "sizes") return of_sizes;
    return of_collectives;
}

void add_not_known(const std::vector<Replayed>& recordings, const FitRun& ran, bool computes, bool shared,
                   FitNeed& need) {
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
    if (ran.end.counts.compiled > 0) say(of_compile);
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
void add_taken_from_cuda(const std::map<std::int64_t, Sums>& devices, const FitRun& ran, FitOutside& outside) {
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
    Prover(const FitProgram& fit_program, const SimulatedMachine& simulated_machine, std::int64_t taken_besides)
        : program(fit_program), machine(simulated_machine), besides(taken_besides) {}

    // Runs the program at the brink and below; afterwards its basis is "ran" if it survived and failed there.
    OrExit<void> prove(FitBrink& brink) const {
        std::int64_t bytes = brink.bytes;
        std::optional<std::int64_t> failed;
        for (const std::int64_t more : {0, 1, 4, 16}) {
            bytes += more * granule;
            const auto ran = program.run_again(machine, bytes + besides);
            if (!ran) return tl::unexpected(ran.error());
            if (ran->survived()) break;
            brink.went_on |= ran->end.code == 0;
            brink.ended_otherwise = !ran->ran_out_of_memory;
            if (brink.ended_otherwise) return {};
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
            brink.went_on |= ran->ran_out_of_memory && ran->end.code == 0;
            brink.ended_otherwise = !ran->survived() && !ran->ran_out_of_memory;
            if (ran->ran_out_of_memory) failed = bytes - granule;
        }
        brink.bytes = bytes;
        brink.failed_at_bytes = failed;
        brink.basis = "ran";
        return {};
    }

private:
    const FitProgram& program;
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

    OrExit<FitOwnRun> on(const FitTarget& target) const { return program.run_on(target, asked.command); }

private:
    OrExit<FitNeed> need_of(const SimulatedMachine& machine, const FitRun& ran,
                            const std::vector<Replayed>& recordings) {
        std::map<std::int64_t, Sums> devices;
        for (const auto& recording : recordings) add(recording, devices[recording.device]);
        const auto& [device, most] =
            *std::ranges::max_element(devices, {}, [](const auto& each) { return each.second.comfortable; });
        FitNeed need;
        for (const auto& recording : recordings) {
            need.steps = std::max(need.steps, recording.steps);
            if (recording.device == device && allocated_peak(recording) > need.peak.allocated_bytes)
                need.peak = peak_of(recording);
        }
        need.processes = static_cast<std::int64_t>(ran.recordings.size());
        need.outside = outside_of(asked, machine);
        const auto estimated = need.outside.bytes;
        add_taken_from_cuda(devices, ran, need.outside);
        const bool shared = std::ranges::any_of(devices, [](const auto& each) { return each.second.processes > 1; });
        if (!asked.outside) need.outside.bytes += estimated * (most.processes - 1);
        need.outside.uncertain_bytes *= most.processes;
        need.comfortable_bytes = most.comfortable + need.outside.bytes;
        need.asks = ran.end.counts.memory_questions > 0;
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
    FitProgram program;
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
            const auto with = seen_with(next, target.machine);
            if (!with) return tl::unexpected(with.error());
            auto needed = with->bytes;
            if (with->asks) {  // with other memory it takes something else
                const auto own = program.run_on(target, with_value(asked.command, variation, next));
                if (!own) return tl::unexpected(own.error());
                needed = own->survived ? gpu.memory_bytes - gpu.occupied_bytes - own->left_bytes : memory_most;
            }
            complain(fmt::format("tocuda: fit: {} = {}: {} of {}: {}", variation.name, next, amount_to_mib(needed),
                                 amount_to_mib(gpu.memory_bytes),
                                 needed <= gpu.memory_bytes - gpu.occupied_bytes ? "fits" : "too much"));
            if (next == variation.least) varied.bytes = needed;
            if (needed <= gpu.memory_bytes - gpu.occupied_bytes) {
                fits = next;
                varied.largest = next;
                varied.bytes = needed;
            } else {
                fails = next;
            }
            next = fails > variation.most ? variation.most : (fits + fails) / 2;
        }
        varied.is_last = varied.largest == variation.most;
        return varied;
    }

private:
    struct Seen {
        std::int64_t bytes = 0;
        bool asks = false;  // how much memory is free
    };

    OrExit<Seen> seen_with(std::int64_t value, const SimulatedMachine& machine) {
        const auto key = std::pair(value, properties(machine));
        if (const auto known = seen.find(key); known != seen.end()) return known->second;
        const auto& variation = *asked.variation;
        complain(fmt::format("tocuda: fit: running it silently with {} = {}", variation.name, value));
        const auto ran =
            program.run(with_memory(machine, memory_most), silenced(with_value(asked.command, variation, value)));
        if (!ran) return tl::unexpected(ran.error());
        const bool asks = ran->end.counts.memory_questions > 0;
        if (ran->ran_out_of_memory) return seen[key] = {memory_most, asks};  // more than any GPU has
        if (ran->end.code != 0) {
            auto why = why_nothing_is_known(asked, *ran);
            why.why += fmt::format(" ({} = {})", variation.name, value);
            return tl::unexpected(why);
        }
        std::uint64_t most = 0;
        for (const auto& gpu : ran->end.counts.gpus) most = std::max(most, gpu.peak_reserved_bytes);
        const auto bytes = static_cast<std::int64_t>(most) + outside_of(asked, machine).bytes;
        return seen[key] = {bytes, asks};
    }

    const Fitting& asked;
    FitProgram program;
    std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, Seen> seen{};
};

Refusal of_gpu(const FitTarget& target, Refusal why) {
    why.why = target.name + ": " + why.why;
    return why;
}

OrExit<FitGpu> judged_by_runs(const NeedFinder& needs, const FitTarget& target, const FitNeed& need) {
    if (!wants_own_run(target, need)) return judged(target, need);
    const auto own = needs.on(target);
    if (!own) return tl::unexpected(own.error());
    return judged(target, need, *own);
}

// The same verdict, with the same doubts, as `fit` of this value alone.
OrExit<void> judge_with(const Fitting& asked, const FitTarget& target, std::int64_t value, Fitted& answer) {
    Fitting alone = asked;
    alone.command = silenced(with_value(asked.command, *asked.variation, value));
    NeedFinder needs(alone);
    auto need = needs.of(target.machine);
    if (!need) return tl::unexpected(need.error());
    auto gpu = judged_by_runs(needs, target, *need);
    if (!gpu) return tl::unexpected(gpu.error());
    gpu->need = answer.needs.size();
    answer.gpus.push_back(*std::move(gpu));
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

// Targets of equal properties share a need.
class Judge {
public:
    explicit Judge(const Fitting& its) : needs(its) {}

    OrExit<void> judge(const FitTarget& target) {
        const auto need = index_of_need(target.machine);
        if (!need) return tl::unexpected(need.error());
        auto gpu = judged_by_runs(needs, target, answer.needs[*need]);
        if (!gpu) return tl::unexpected(gpu.error());
        gpu->need = *need;
        answer.gpus.push_back(*std::move(gpu));
        return {};
    }

    // A program may end badly on one kind of GPU only.
    void leave_open(const FitTarget& target, const std::string& why) {
        answer.gpus.push_back({.name = target.name,
                               .memory_bytes = target.machine.gpus.at(0).memory_bytes,
                               .verdict = "open",
                               .because = why});
    }

    Fitted answer{};

private:
    OrExit<std::size_t> index_of_need(const SimulatedMachine& machine) {
        const auto its = properties(machine);
        if (const auto index = known.find(its); index != known.end()) return index->second;
        auto need = needs.of(machine);
        if (!need) return tl::unexpected(need.error());
        const auto same = std::ranges::find_if(answer.needs, [&](const FitNeed& each) { return equal(each, *need); });
        const auto index = known[its] = static_cast<std::size_t>(same - answer.needs.begin());
        if (same == answer.needs.end()) answer.needs.push_back(*std::move(need));
        return index;
    }

    NeedFinder needs;
    std::map<std::vector<std::int64_t>, std::size_t> known{};
};

}  // namespace

OrExit<Fitted> fitted(const Fitting& asked) {
    if (!asked.settings.empty())
        if (const auto read = replayed_by(usual_python(), {.settings = asked.settings}); !read)
            return tl::unexpected(read.error());
    complain(fmt::format("tocuda: fit: the program runs on SIMULATED GPUs with plenty of memory; {}",
                         asked.computes ? "values are computed on the CPU" : "nothing is computed"));
    if (asked.variation) return varied(asked);
    Judge judge(asked);
    std::optional<Refusal> first;
    for (const auto& target : asked.targets) {
        const auto judged = judge.judge(target);
        if (judged) continue;
        if (judged.error().code != nothing_done) return tl::unexpected(judged.error());
        if (!first) first = of_gpu(target, judged.error());
        judge.leave_open(target, judged.error().why);
    }
    if (judge.answer.needs.empty()) return tl::unexpected(*first);
    return judge.answer;
}

}  // namespace tocuda
