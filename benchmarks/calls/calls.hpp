// tocuda, Apache-2.0.
// What the benchmarks of single calls share. One reading of a single call is too uncertain, so a sample is the median
// of many calls, each timed alone.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "measurement/cuda_objects.hpp"
#include "measurement/empty_kernel.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

struct TimedCall {
    std::function<void()> before{};  // each call; not timed
    std::function<void()> call{};
    std::function<std::string()> differs{};  // see Trial
    std::string compared{};
    int count = 200;                            // in a sample
    unsigned waiting = cudaDeviceScheduleAuto;  // how the thread waits for the GPU meanwhile
};

Trial trial_of(const TimedCall& timed);

// A benchmark below `calls/`, by the host's clock, on one GPU. The factory gets every set of a process once.
using CallOf = std::function<TimedCall(const Parameters&)>;
class RegisteredCall {
public:
    // Words must be among the values of a full measurement; `make_calls` allocates what the calls share.
    RegisteredCall(Benchmark benchmark, std::function<CallOf()> make_calls);
};

// A stream, and the counter that the empty kernel increments in checks.
struct Counting {
    Stream stream{};
    MappedMemory<unsigned long long> counter{};

    // Runs an operation that launches the empty kernel with `counter`, and says so if it did not run `times` times.
    std::string wrong_after(const std::function<void()>& operation, unsigned long long times = 1) const;
    static std::string compared() { return "how often a kernel ran that was queued in the same way"; }
};

}  // namespace tocuda
