// tocuda, Apache-2.0.
// Times work on the GPU for scenarios that compare speeds.
#pragma once

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace tocuda {

// Returns the shortest of several times, because other load on the machine only makes one longer.
template <class Action>
double shortest_seconds(Action action) {
    constexpr int repetitions = 5;
    double shortest = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const auto begin = std::chrono::steady_clock::now();
        action();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        shortest = std::min(shortest, taken.count());
    }
    return shortest;
}

// The same for what the first GPU's stream is given. The first run is not timed: it initialises CUDA and its libraries.
template <class Action>
double shortest_seconds_there(Action action) {
    const c10::impl::VirtualGuardImpl cuda(c10::kCUDA);
    const auto stream = cuda.getStream(c10::Device(c10::kCUDA, 0));
    const auto waited = [&] {
        action();
        stream.synchronize();
    };
    waited();
    return shortest_seconds(waited);
}

}  // namespace tocuda
