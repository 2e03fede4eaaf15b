// tocuda, Apache-2.0.
// Seconds of the monotonic clock, and poll timeouts.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tocuda {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Rounds up, because a poll that returns just before its time would only be repeated.
inline int poll_timeout(double seconds) {
    constexpr double longest = 3600;
    return static_cast<int>(std::ceil(std::clamp(seconds, 0.0, longest) * 1000));
}

}  // namespace tocuda
