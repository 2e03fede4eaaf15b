// tocuda, Apache-2.0.
// What crossed the bus between two moments, counted by the recorder in front of a real or a simulated runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "worker/observer.hpp"

namespace tocuda {

struct Crossing {
    std::int64_t to_device_calls = 0;
    std::int64_t to_device_bytes = 0;
    std::int64_t to_device_pinned_bytes = 0;  // part of to_device_bytes
    std::int64_t to_host_calls = 0;
    std::int64_t to_host_bytes = 0;
    std::int64_t kernels = 0;
    std::int64_t stream_synchronizations = 0;
};

// Counts from its construction. read() returns nullopt if no recorder is in this process.
class CrossingMark {
public:
    CrossingMark();
    std::optional<Crossing> read() const;
};

// Records NAME.recorded and, if true, NAME.to_device_calls, NAME.to_device_bytes, ...
void say(Observer& see, const std::string& name, const std::optional<Crossing>& crossing);

}  // namespace tocuda
