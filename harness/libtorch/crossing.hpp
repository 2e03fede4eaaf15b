// tocuda, Apache-2.0.
// What crossed the bus between two moments, as the recorder counted it, before a real runtime or a simulated one alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "worker/observer.hpp"

namespace tocuda {

struct Crossing {
    std::int64_t to_device_calls = 0;
    std::int64_t to_device_bytes = 0;
    std::int64_t to_device_pinned_bytes = 0;  // of these
    std::int64_t to_host_calls = 0;
    std::int64_t to_host_bytes = 0;
    std::int64_t kernels = 0;
    std::int64_t stream_synchronizations = 0;
};

// Begins at its making. Without a recorder in this process there is nothing to read.
class CrossingMark {
public:
    CrossingMark();
    std::optional<Crossing> read() const;
};

// NAME.recorded, and where it is true NAME.to_device_calls, NAME.to_device_bytes, ...
void say(Observer& see, const std::string& name, const std::optional<Crossing>& crossing);

}  // namespace tocuda
