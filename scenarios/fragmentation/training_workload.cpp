// tocuda, Apache-2.0.
// Measures how much memory fragmentation costs in training under each allocator setting: peak reserved minus peak used,
// with sequences of one length and of mixed lengths. Settings change between runs, while nothing is reserved.
#include <ATen/ATen.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "settings.hpp"

// A seeded workload with the sizes and lifetimes of training a small transformer, without computing anything:
// parameters and optimizer state stay; activations live from forward to backward, gradients until the update,
// temporaries briefly, and a few results for several steps.
namespace tocuda::fragmentation {

class TrainingSteps {
public:
    explicit TrainingSteps(std::uint64_t seed) : random(seed) {
        for (int layer = 0; layer < layers; ++layer)
            for (const auto elements : layer_parameters()) parameters.push_back(floats(elements));
        parameters.push_back(floats(vocabulary * hidden));
    }

    // Runs one step over a batch of sequences of this length.
    void step(std::int64_t sequence) {
        std::vector<at::Tensor> activations;
        batch = floats(sequences * sequence);
        for (int layer = 0; layer < layers; ++layer) forward(activations, sequence);
        activations.push_back(floats(sequences * sequence * vocabulary));
        backward(activations);
        update();
        results.erase(std::remove_if(results.begin(), results.end(), [](auto& kept) { return --kept.first <= 0; }),
                      results.end());
    }
    // Keeps something for some steps, as programs keep a metric, a prediction or a cached batch.
    void keep_a_result() {
        const auto elements = static_cast<std::int64_t>((1 + below(16)) << 18);
        results.emplace_back(static_cast<int>(2 + below(8)), floats(elements));
    }
    void drop_results() { results.clear(); }
    std::int64_t any_length() { return static_cast<std::int64_t>(64 + 8 * below(89)); }  // 64 to 768

private:
    static constexpr int layers = 6;
    static constexpr std::int64_t hidden = 512;
    static constexpr std::int64_t vocabulary = 8192;
    static constexpr std::int64_t sequences = 4;
    static constexpr std::int64_t heads = 8;

    static at::Tensor floats(std::int64_t elements) {
        return at::empty({elements}, at::dtype(at::kFloat).device(at::kCUDA));
    }
    static std::vector<std::int64_t> layer_parameters() {
        return {3 * hidden * hidden, hidden * hidden, 4 * hidden * hidden, 4 * hidden * hidden, hidden, hidden};
    }
    // The standard library's distributions differ between implementations; the generator does not.
    std::uint64_t below(std::uint64_t limit) { return random() % limit; }

    void forward(std::vector<at::Tensor>& activations, std::int64_t sequence) {
        const auto token_values = sequences * sequence * hidden;
        const auto scores = sequences * heads * sequence * sequence;
        activations.push_back(floats(3 * token_values));
        const auto raw_scores = floats(scores);
        activations.push_back(floats(scores));
        activations.push_back(floats(token_values));
        activations.push_back(floats(4 * token_values));
        const auto before_activation = floats(4 * token_values);
        activations.push_back(floats(token_values));
    }
    void backward(std::vector<at::Tensor>& activations) {
        auto parameter = parameters.rbegin();
        while (!activations.empty()) {
            const auto gradient = at::empty_like(activations.back());
            activations.pop_back();
            if (parameter != parameters.rend()) gradients.push_back(at::empty_like(*parameter++));
        }
        for (; parameter != parameters.rend(); ++parameter) gradients.push_back(at::empty_like(*parameter));
    }
    void update() {
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            if (state.size() < 2 * gradients.size()) {
                state.push_back(at::empty_like(gradients[i]));
                state.push_back(at::empty_like(gradients[i]));
            }
            at::empty_like(gradients[i]);
        }
        gradients.clear();
    }

    std::mt19937_64 random;
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> gradients;
    std::vector<at::Tensor> state;
    at::Tensor batch;
    std::vector<std::pair<int, at::Tensor>> results;
};

}  // namespace tocuda::fragmentation

namespace tocuda::fragmentation::training_workload {
namespace {

constexpr std::uint64_t seed = 20250130;
constexpr int steps = 24;
constexpr int steps_to_settle = 3;
constexpr std::int64_t one_length = 768;

// The garbage-collection threshold is a share of the cap, chosen so that collection starts well below the peak.
constexpr std::array<std::pair<const char*, const char*>, 4> native{
    {{"default", ""},
     {"max_split_size", "max_split_size_mb:64"},
     {"garbage_collection", "garbage_collection_threshold:0.4"},
     {"expandable_segments", expandable_segments}}};

struct Peaks {
    std::int64_t used = 0;
    std::int64_t reserved = 0;
};

Peaks peaks() {
    const auto stats = at::getDeviceAllocator(at::kCUDA)->getDeviceStats(0);
    return {stats.allocated_bytes[0].peak / mebibyte, stats.reserved_bytes[0].peak / mebibyte};
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
    TrainingSteps training(seed);
    for (int step = 0; step < steps_to_settle; ++step) training.step(one_length);
    const auto settled = peaks().reserved;
    for (int step = steps_to_settle; step < steps; ++step) training.step(one_length);
    say_peaks(see, name);
    see(name + ".grown_mib", peaks().reserved - settled);
    see(name + ".expandable", free_blocks().expandable);
}

void train_with_any_length(Observer& see, const std::string& name, bool emptying) {
    begin();
    TrainingSteps training(seed);
    for (int step = 0; step < steps; ++step) {
        training.step(step == 0 ? one_length : training.any_length());
        training.keep_a_result();
        if (emptying) tocuda::empty_cache();
    }
    say_peaks(see, name);
    if (emptying) return;
    // Between two steps: what is free now, what emptying the cache returns, and what is left after the results are
    // dropped.
    say_memory(see, name + ".between");
    tocuda::empty_cache();
    say_memory(see, name + ".emptied");
    training.drop_results();
    tocuda::empty_cache();
    say_memory(see, name + ".dropped");
}

void train(Observer& see, const std::string& name) {
    train_with_one_length(see, name + ".one_length");
    train_with_any_length(see, name + ".any_length", false);
    train_with_any_length(see, name + ".any_length_emptying", true);
    tocuda::empty_cache();
}

void observe(Observer& see) {
    see("setting", setting());
    see("seed", seed);
    tocuda::cap(see, 2048);
    if (see.variant() == "driver_pool") {
        train(see, "driver_pool");
        say_pool(see, "end");
        return;
    }
    for (const auto& [name, words] : native) {
        c10::CachingAllocator::setAllocatorSettings(words);
        const auto tried = attempt([] { take(1); });  // not every driver has what a setting needs
        say(see, name, tried);
        if (!tried.threw) train(see, name);
    }
}

std::int64_t lost(const Evidence& evidence, const std::string& name) { return evidence.integer(name + ".lost_mib"); }

std::string gaps_in_words(std::int64_t one, std::int64_t any) {
    return "reserved, unused: " + std::to_string(one) + " MiB with one length, " + std::to_string(any) +
           " with mixed ones";
}

void judge_gaps(const Evidence& evidence, Judgement& say) {
    const auto one = lost(evidence, "default.one_length");
    const auto any = lost(evidence, "default.any_length");
    const auto grown = evidence.integer("default.one_length.grown_mib");
    const auto words = gaps_in_words(one, any);
    if (any > one) say.reproduced("002-05", words);
    else if (grown == 0) say.refuted("002-05", words);
    say("002-07", one < any ? reproduced : refuted,
        "unused: " + std::to_string(one) + " MiB where each block fits the next, " + std::to_string(any) +
            " where lengths vary");
}

void judge_emptying(const Evidence& evidence, Judgement& say) {
    const auto without = lost(evidence, "default.any_length");
    const auto with = lost(evidence, "default.any_length_emptying");
    say("002-12", with < without ? reproduced : refuted,
        std::to_string(without) + " MiB reserved but unused, " + std::to_string(with) +
            " MiB with empty_cache() each step");
}

void judge_settings(const Evidence& evidence, Judgement& say) {
    const auto without = lost(evidence, "default.any_length");
    auto least = without;
    std::string best;
    for (const auto& [name, words] : native) {
        const bool expands = std::string_view(words) == expandable_segments;
        if (evidence.flag(std::string(name) + ".threw") ||
            (expands && !evidence.flag(std::string(name) + ".one_length.expandable")))
            continue;
        if (const auto with = lost(evidence, std::string(name) + ".any_length"); with < least) {
            least = with;
            best = name;
        }
    }
    say("002-14", best.empty() ? refuted : reproduced,
        std::to_string(without) + " MiB reserved but unused, " +
            (best.empty() ? "no less under any setting" : std::to_string(least) + " MiB under " + best));
}

void judge_pool(const Evidence& evidence, Judgement& say) {
    require_real_driver(evidence);
    const auto one = lost(evidence, "driver_pool.one_length");
    const auto any = lost(evidence, "driver_pool.any_length");
    say("002-14", any <= one ? reproduced : inconclusive, "driver's pool, " + gaps_in_words(one, any));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (evidence.text("setting") == driver_pool) {
        judge_pool(evidence, say);
        return;
    }
    tocuda::require_cap(evidence);
    judge_gaps(evidence, say);
    judge_emptying(evidence, say);
    judge_settings(evidence, say);
}

const Registered training_workload{{
    .summary = "train (sizes and lifetimes only) with sequences of one length and of mixed lengths, and measure memory "
               "lost to gaps",
    .observed = "the peaks of memory in use and reserved over 24 steps, for each setting, with one sequence length and "
                "mixed lengths",
    .decisive = "memory reserved beyond what is in use must grow with mixed lengths, and a setting or emptying the "
                "cache must reduce it",
    .claims = {{"002-05", "frequent allocation can leave gaps"},
               {"002-07", "reuse and explicit freeing help"},
               {"002-12", "empty_cache() mitigates fragmentation"},
               {"002-14", "advanced techniques reduce gaps"}},
    .variants = {by_default(
                     {{"002-05", reproduced}, {"002-07", reproduced}, {"002-12", reproduced}, {"002-14", reproduced}}),
                 under("driver_pool", driver_pool, {{"002-14", reproduced}})},
    .needs = {.gpus = 1, .free_gib = 2.1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::fragmentation::training_workload
