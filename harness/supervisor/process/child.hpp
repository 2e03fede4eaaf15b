// tocuda, Apache-2.0.
// A child process to start, and how it ended, as plain values.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/evidence.hpp"

namespace tocuda {

struct Child {
    std::vector<std::string> command;
    std::vector<std::string> environment;  // complete, "NAME=value"
    double seconds = 60;                   // deadline: SIGTERM, then SIGKILL a second later
    std::int64_t resident_bytes = 0;       // limit for it and its descendants together; 0 for none
    std::int64_t said_bytes = 64 << 20;    // limit for its output on descriptor 3; more ends it
    bool keep_input = false;               // keeps its standard input open for `send`; otherwise it is empty
};

struct Ended {
    Outcome outcome;
    std::string stderr_tail;  // the last 4 KiB
    std::string torn;         // the incomplete last line on descriptor 3 (at most 200 bytes)
    int outlived = 0;         // descendants that were still running when it ended; they were killed
    std::int64_t peak_resident_bytes = 0;
};

struct Reactions {
    std::function<void(std::string_view line)> on_line;  // a complete line on descriptor 3, without its newline
    std::function<void(const Ended&)> on_end;            // called exactly once, from `step`, after the last line
};

// Seconds of the monotonic clock, and poll timeouts.
inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Rounds up, because a poll that returns just before its time would only be repeated.
inline int poll_timeout(double seconds) {
    constexpr double longest = 3600;
    return static_cast<int>(std::ceil(std::clamp(seconds, 0.0, longest) * 1000));
}

}  // namespace tocuda
