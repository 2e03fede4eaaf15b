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
// Where as much goes the other way: into so many pieces at least is cut what lies beside a batch, with an event each.
constexpr std::int64_t pieces_least = 16;
constexpr std::int64_t marks_most = 4 * pieces_least;
constexpr double beside_seconds = 20e-3;

// How many operations of the runtime a batch of so many is: what goes on beside is queued twice as often, and has
// events of its own.
inline std::int64_t queued_for(const Trial& trial, std::int64_t count) {
    const auto operations = count * std::max<std::int64_t>(1, trial.operations);
    return trial.beside ? 3 * operations + marks_most : operations;
}

// The largest batch of this trial that may be queued at once.
inline std::int64_t batch_most(const Trial& trial, std::int64_t depth = queued_most) {
    const auto operations = std::max<std::int64_t>(1, trial.operations);
    return std::max<std::int64_t>(1, trial.beside ? (depth - marks_most) / (3 * operations) : depth / operations);
}

// The batch that lasts long enough, from how long this one lasted. A clock that stood still gives nothing to go by.
inline std::int64_t batch_for(std::int64_t batch, double seconds, std::int64_t most) {
    if (!(seconds > 0)) return batch;
    const auto wanted = std::ceil(static_cast<double>(batch) * batch_seconds / seconds);
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
}

// The same for a trial. Cut into many, a copy is slower: where as much goes the other way, a batch is of so many whole
// operations that none has to be cut, unless that would take long.
inline std::int64_t batch_for(const Trial& trial, std::int64_t batch, double seconds, std::int64_t most) {
    const auto long_enough = batch_for(batch, seconds, most);
    if (!trial.beside || !(seconds > 0)) return long_enough;
    const auto within =
        std::min(static_cast<double>(pieces_least), beside_seconds * static_cast<double>(batch) / seconds);
    return std::min(most, std::max(long_enough, static_cast<std::int64_t>(within)));
}

// How many keep the GPU busy for as long as it takes to read its telemetry, from how long one of them took.
inline std::int64_t count_for_reading(const Trial& trial, double seconds, std::int64_t depth = queued_most) {
    constexpr double reading_seconds = 5e-3;
    const auto wanted = seconds > 0 ? std::ceil(reading_seconds / seconds) : 1.0;
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(batch_most(trial, depth))));
}

void add_flags(std::vector<std::string>& to, const std::vector<std::string>& flags);  // each of them once

// Finds the batch of this member. Without a gate it is one operation, and a flag.
void calibrate(Clock clock, Sampled& member, Instruments& instruments, bool gate = true);

// Runs a step of one member, and closes the member where it fails.
using Guard = std::function<void(Sampled&, const std::function<void()>&)>;

// Takes samples that are none, of those members that are still ok, for as long as these are needed.
void keep_busy(Clock clock, std::vector<Sampled>& members, Instruments& instruments, const Guard& guarded,
               const std::function<bool()>& needed);

// Into each member that is still ok: as many samples as the protocol asks for.
void take_samples(const Benchmark& benchmark, std::vector<Sampled>& members, const Protocol& protocol,
                  Instruments& instruments, const Guard& guarded);

}  // namespace tocuda
