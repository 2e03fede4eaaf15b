// tocuda, Apache-2.0.
// Measures how much memory fragmentation costs in training under each allocator setting: peak reserved minus peak used,
// with sequences of one length and of mixed lengths. Settings change between runs, while nothing is reserved.
#include <ATen/ATen.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <utility>

#include "settings.hpp"
#include "training_steps.hpp"

namespace settings = tocuda::fragmentation;

namespace tocuda::fragmentation::training_workload {
namespace {

constexpr auto partial = tocuda::Verdict::partial;
constexpr auto refuted = tocuda::Verdict::refuted;
constexpr auto reproduced = tocuda::Verdict::reproduced;
constexpr std::uint64_t seed = 20250130;
constexpr int steps = 24;
constexpr int steps_to_settle = 3;
constexpr std::int64_t one_length = 768;

// The garbage-collection threshold is a share of the cap, chosen so that collection starts well below the peak.
constexpr std::array<std::pair<const char*, const char*>, 4> native{
    {{"default", ""},
     {"max_split_size", "max_split_size_mb:64"},
     {"garbage_collection", "garbage_collection_threshold:0.2"},
     {"expandable_segments", settings::expandable_segments}}};

struct Peaks {
    std::int64_t used = 0;
    std::int64_t reserved = 0;
};

Peaks peaks() {
    const auto stats = at::getDeviceAllocator(at::kCUDA)->getDeviceStats(0);
    return {stats.allocated_bytes[0].peak / settings::mebibyte, stats.reserved_bytes[0].peak / settings::mebibyte};
}

void say_peaks(Observer& see, const std::string& name) {
    const auto [used, reserved] = peaks();
    see(name + ".peak_used_mib", used);
    see(name + ".peak_reserved_mib", reserved);
    see(name + ".lost_mib", reserved - used);
}

void begin() {
    tocuda::empty_cache();
    at::getDeviceAllocator(at::kCUDA)->resetPeakStats(0);
}

void train_with_one_length(Observer& see, const std::string& name) {
    begin();
    settings::TrainingSteps training(seed);
    for (int step = 0; step < steps_to_settle; ++step) training.step(one_length);
    const auto settled = peaks().reserved;
    for (int step = steps_to_settle; step < steps; ++step) training.step(one_length);
    say_peaks(see, name);
    see(name + ".grown_mib", peaks().reserved - settled);
}

void train_with_any_length(Observer& see, const std::string& name, bool emptying) {
    begin();
    settings::TrainingSteps training(seed);
    for (int step = 0; step < steps; ++step) {
        training.step(step == 0 ? one_length : training.any_length());
        training.keep_a_result();
        if (emptying) tocuda::empty_cache();
    }
    say_peaks(see, name);
    if (emptying) return;
    // Between two steps: what is free now, what emptying the cache returns, and what is left after the results are
    // dropped.
    settings::say_memory(see, name + ".between");
    tocuda::empty_cache();
    settings::say_memory(see, name + ".emptied");
    training.drop_results();
    tocuda::empty_cache();
    settings::say_memory(see, name + ".dropped");
}

void train(Observer& see, const std::string& name) {
    train_with_one_length(see, name + ".one_length");
    train_with_any_length(see, name + ".any_length", false);
    train_with_any_length(see, name + ".any_length_emptying", true);
    tocuda::empty_cache();
}

void observe(Observer& see) {
    see("setting", settings::setting());
    see("seed", seed);
    see("cap", tocuda::cap_memory(4096 * settings::mebibyte));
    if (see.variant() == "driver_pool") {
        train(see, "driver_pool");
        return;
    }
    for (const auto& [name, words] : native) {
        c10::CachingAllocator::setAllocatorSettings(words);
        train(see, name);
    }
}

std::string mebibytes(const Evidence& evidence, const std::string& key) {
    return std::to_string(evidence.integer(key)) + " MiB";
}

void judge_gaps(const Evidence& evidence, Judgement& say) {
    const auto one = evidence.integer("default.one_length.lost_mib");
    const auto any = evidence.integer("default.any_length.lost_mib");
    const bool settles = evidence.integer("default.one_length.grown_mib") == 0;
    const auto because = "at the peak " + mebibytes(evidence, "default.one_length.lost_mib") +
                         " is lost with one length and " + mebibytes(evidence, "default.any_length.lost_mib") +
                         " with mixed lengths (" + mebibytes(evidence, "default.any_length_emptying.lost_mib") +
                         " if the cache is emptied after each step), beside " +
                         mebibytes(evidence, "default.any_length.peak_used_mib") + " in use";
    const auto over_time =
        settles ? "; with one length nothing grows after the first steps" : "; it grows even with one length";
    if (any > one) say("002-05", settles ? partial : reproduced, because + over_time);
    else if (settles) say.refuted("002-05", because);
    say("002-07", one < any ? reproduced : refuted, "reusing one length for all sequences: " + because);
}

void judge_settings(const Evidence& evidence, Judgement& say) {
    const auto without = evidence.integer("default.any_length.lost_mib");
    std::string because;
    bool helps = false;
    for (const auto& [name, words] : native) {
        const auto key = std::string(name) + ".any_length.lost_mib";
        because += (because.empty() ? "" : ", ") + mebibytes(evidence, key) + " (" + (*words ? words : "default") + ")";
        helps = helps || evidence.integer(key) < without;
    }
    say("002-14", helps ? partial : reproduced,
        "lost at the peak with mixed lengths: " + because +
            (helps ? "; a setting of PyTorch's own pool reduces it" : "; no setting reduces it"));
}

void judge_pool(const Evidence& evidence, Judgement& say) {
    settings::require_real_driver(evidence);
    const auto one = evidence.integer("driver_pool.one_length.lost_mib");
    const auto any = evidence.integer("driver_pool.any_length.lost_mib");
    const auto because = "the driver's pool loses " + std::to_string(one) + " MiB with one length and " +
                         std::to_string(any) + " MiB with mixed lengths";
    if (any <= one) say.partial("002-14", "no custom allocator is needed: " + because);
    else say.inconclusive("002-14", because);
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.text("setting") == settings::driver_pool) {
        judge_pool(evidence, say);
        return;
    }
    settings::require_cap(evidence);
    judge_gaps(evidence, say);
    judge_settings(evidence, say);
}

const Registered training_workload{{
    .summary = "train (sizes and lifetimes only) with sequences of one length and of mixed lengths, and measure memory "
               "lost to gaps",
    .observed = "the peaks of memory in use and reserved over 24 steps, for each setting, with one sequence length and "
                "mixed lengths",
    .decisive = "memory reserved beyond what is in use must grow with mixed lengths, and a setting must reduce it",
    .claims = {{"002-05", "frequent allocation and release leave gaps that cannot be used"},
               {"002-07", "reusing and explicitly freeing tensors mitigates fragmentation"},
               {"002-14", "fragmentation needs custom allocators or pooling"}},
    .variants = {settings::by_default({{"002-05", partial}, {"002-07", reproduced}, {"002-14", partial}}),
                 settings::under("driver_pool", settings::driver_pool, {{"002-14", partial}})},
    .needs = {.gpus = 1, .free_gib = 4.1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::training_workload
