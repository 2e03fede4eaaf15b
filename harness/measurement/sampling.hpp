// tocuda, Apache-2.0.
// The samples of a group of parameter sets, in turns; and how many operations lie between two readings of the clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "measurement/instruments.hpp"

namespace tocuda {

struct Sampled {
    Samples samples{};
    Trial trial{};
};

constexpr double batch_seconds = 500e-6;  // events resolve 0.5 us
constexpr std::int64_t queued_most = 512;  // operations that a GPU takes without making the caller wait

// How many of this trial's operations may be queued at once: what goes on beside is queued twice as often.
inline std::int64_t batch_most(const Trial& trial) {
    return std::max<std::int64_t>(1, queued_most / (std::max<std::int64_t>(1, trial.operations) * (trial.beside ? 3 : 1)));
}

// The batch that lasts long enough, from how long this one lasted. A clock that stood still gives nothing to go by.
inline std::int64_t batch_for(std::int64_t batch, double seconds, std::int64_t most) {
    if (!(seconds > 0)) return batch;
    const auto wanted = std::ceil(static_cast<double>(batch) * batch_seconds / seconds);
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
}

// How many keep the GPU busy for as long as it takes to read its telemetry, from how long one of them took.
inline std::int64_t count_for_reading(const Trial& trial, double seconds) {
    constexpr double reading_seconds = 5e-3;
    const auto wanted = seconds > 0 ? std::ceil(reading_seconds / seconds) : 1.0;
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(batch_most(trial))));
}

void add_flags(std::vector<std::string>& to, const std::vector<std::string>& flags);  // each of them once

void calibrate(Clock clock, Sampled& member, Instruments& instruments);

// Runs a step of one member, and closes the member where it fails.
using Guard = std::function<void(Sampled&, const std::function<void()>&)>;

// Takes samples that are none, of those members that are still ok, for as long as these are needed.
void keep_busy(Clock clock, std::vector<Sampled>& members, Instruments& instruments, const Guard& guarded, const std::function<bool()>& needed);

// Into each member that is still ok: as many samples as the protocol asks for.
void take_samples(const Benchmark& benchmark, std::vector<Sampled>& members, const Protocol& protocol, Instruments& instruments,
                  const Guard& guarded);

}  // namespace tocuda
