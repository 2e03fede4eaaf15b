// tocuda, Apache-2.0.
// Takes the samples of a group of parameter sets in turns, and chooses how many operations one reading of the clock
// covers.
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
    std::vector<double> cycles{};   // of each sample, per operation, where they are counted
    std::vector<double> singles{};  // of all samples, where operations are timed alone
};

constexpr double batch_seconds = 500e-6;  // events resolve 0.5 us
// With traffic in the other direction: the minimum number of its pieces that run beside a batch, with an event each.
constexpr std::int64_t pieces_least = 16;
constexpr std::int64_t marks_most = 4 * pieces_least;
constexpr double beside_seconds = 20e-3;

// Returns how many commands a batch queues: the other direction is queued twice as often, and has events of
// its own.
inline std::int64_t queued_for(const Queued& queued, std::int64_t count) {
    const auto commands = count * std::max<std::int64_t>(1, queued.commands);
    return queued.beside ? 3 * commands + marks_most : commands;
}

// Returns the largest batch of this trial that may be queued at once.
inline std::int64_t batch_most(const Queued& queued, std::int64_t depth = queued_most) {
    const auto commands = std::max<std::int64_t>(1, queued.commands);
    return std::max<std::int64_t>(1, queued.beside ? (depth - marks_most) / (3 * commands) : depth / commands);
}

// Returns the batch that lasts long enough, from how long this one took. Unchanged if the clock did not advance.
inline std::int64_t batch_for(std::int64_t batch, double seconds, std::int64_t most) {
    if (!(seconds > 0)) return batch;
    const auto wanted = std::ceil(static_cast<double>(batch) * batch_seconds / seconds);
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(most)));
}

// The same for a trial. A copy cut into many pieces is slower, so with traffic in the other direction a batch has
// enough whole operations that none has to be cut, unless that would take long.
inline std::int64_t batch_for(const Queued& queued, std::int64_t batch, double seconds, std::int64_t most) {
    const auto long_enough = batch_for(batch, seconds, most);
    if (!queued.beside || !(seconds > 0)) return long_enough;
    const auto within =
        std::min(static_cast<double>(pieces_least), beside_seconds * static_cast<double>(batch) / seconds);
    return std::min(most, std::max(long_enough, static_cast<std::int64_t>(within)));
}

// Returns how many times to queue the operation so that the GPU is busy while its telemetry is read, from how long one
// operation and an earlier reading took. Some drivers need tens of milliseconds for one.
inline std::int64_t count_for_reading(const Trial& trial, double seconds, double reading_seconds,
                                      std::int64_t depth = queued_most) {
    constexpr double busy_least = 5e-3;
    constexpr double busy_most = 0.25;
    const auto busy_seconds = std::clamp(2 * reading_seconds, busy_least, busy_most);
    const auto* timed = trial.self_timed();
    const auto each = seconds * static_cast<double>(timed ? timed->together : 1);
    const auto wanted = each > 0 ? std::ceil(busy_seconds / each) : 1.0;
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(batch_most(trial.queued(), depth))));
}

// Finds the batch of this member: what a trial that times itself covers, or what lasts long enough. Without a gate it
// is one operation and the flag no_gate.
void calibrate(Clock clock, Sampled& member, Instruments& instruments, bool gate = true);

// Warms up every GPU that takes part, then calibrates.
void settle(Clock clock, Sampled& member, Instruments& instruments, bool gate = true);

// Returns the seconds of one operation, from a batch of them.
double sample(Clock clock, Sampled& member, Instruments& instruments);

// Runs a step of one member, and closes the member if it fails.
using Guard = std::function<void(Sampled&, const std::function<void()>&)>;

// Runs the members that are still ok without keeping their samples, for as long as `needed` returns true.
void keep_busy(Clock clock, std::vector<Sampled>& members, Instruments& instruments, const Guard& guarded,
               const std::function<bool()>& needed);

// Adds the number of samples that the protocol requests to each member that is still ok.
void take_samples(const Benchmark& benchmark, std::vector<Sampled>& members, const Protocol& protocol,
                  Instruments& instruments, const Guard& guarded);

// A piece that ended at this moment, in seconds since the start of the timed operations.
struct Passed {
    double at = 0;
    double operations = 0;  // since the previous piece; may be a fraction
};

// Returns how many operations of these consecutive pieces, the first of which started at `began`, lie within the first
// `seconds`. A piece that ends later counts by its time within, at a rate no faster than that of the piece before: once
// the timed operations have ended, it has the link to itself.
double passed_within(double seconds, double began, const std::vector<Passed>& passed);

}  // namespace tocuda
