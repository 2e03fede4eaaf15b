// tocuda, Apache-2.0.
// Samples by the GPU's own clock: a batch of operations between two events, as many as the clock needs to resolve them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "measurement/stream.hpp"

namespace tocuda {

struct DeviceSamples {
    std::int64_t batch = 1;
    std::vector<double> seconds{};  // of one operation
};

constexpr double batch_seconds = 500e-6;  // events resolve 0.5 us
constexpr std::int64_t batch_most = 512;  // what a stream takes without making the caller wait

// The batch that lasts long enough, from how long this one lasted. A clock that stood still gives nothing to go by.
inline std::int64_t batch_for(std::int64_t batch, double seconds) {
    if (!(seconds > 0)) return batch;
    const auto wanted = std::ceil(static_cast<double>(batch) * batch_seconds / seconds);
    return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(batch_most)));
}

template <class Operation>
double seconds_of_batch(const Stream& stream, std::int64_t batch, const Operation& operation) {
    const Event first;
    const Event last;
    first.record(stream);
    for (std::int64_t i = 0; i < batch; ++i) operation();
    last.record(stream);
    stream.synchronize();
    return seconds_between(first, last);
}

template <class Operation>
DeviceSamples samples_on_device(const Stream& stream, int count, const Operation& operation) {
    DeviceSamples samples;
    for (int attempt = 0; attempt < 3; ++attempt)
        samples.batch = batch_for(samples.batch, seconds_of_batch(stream, samples.batch, operation));
    for (int i = 0; i < count; ++i)
        samples.seconds.push_back(seconds_of_batch(stream, samples.batch, operation) / static_cast<double>(samples.batch));
    return samples;
}

}  // namespace tocuda
