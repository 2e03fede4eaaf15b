// tocuda, Apache-2.0.
#include "runtime/variation.hpp"

#include <algorithm>

namespace tocuda::simulator {
namespace {

constexpr double least_factor = 0.1;

// Splitmix64: turns consecutive numbers into unrelated seeds.
std::uint64_t mixed(std::uint64_t number) {
    number += 0x9e3779b97f4a7c15U;
    number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
    number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
    return number ^ (number >> 31U);
}

double around_one(double deviation, std::mt19937_64& generator) {
    if (deviation <= 0) return 1;
    return std::max(least_factor, 1 + deviation * std::normal_distribution<double>()(generator));
}

double at_times(double probability, double factor, std::mt19937_64& generator) {
    if (probability <= 0) return 1;
    return std::uniform_real_distribution<double>()(generator) < probability ? factor : 1;
}

}  // namespace

Variation::Variation(const SimulatedGpu& gpu, std::uint64_t seed, std::uint64_t process, std::uint64_t position,
                     double factor)
    : model(gpu), engine(mixed(mixed(mixed(seed) + process) + position)) {
    of_process = factor * around_one(gpu.process_noise, engine) *
                 at_times(gpu.slow_process_probability, gpu.slow_process_factor, engine);
}

double Variation::of(double seconds, double now) {
    const double once =
        around_one(model.noise, engine) * at_times(model.outlier_probability, model.outlier_factor, engine);
    return seconds * of_process * once * std::max(least_factor, 1 + model.drift_per_second * now);
}

}  // namespace tocuda::simulator
