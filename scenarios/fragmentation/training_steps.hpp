// tocuda, Apache-2.0.
// A seeded workload with the sizes and lifetimes of training a small transformer, without computing anything:
// parameters and optimizer state stay; activations live from forward to backward, gradients until the update,
// temporaries briefly, and a few results for several steps.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

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
