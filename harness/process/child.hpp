// tocuda, Apache-2.0.
// A child to be started, and how it ended: plain values. The supervisor turns the one into the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/evidence.hpp"

namespace tocuda {

struct Child {
    std::vector<std::string> command;
    std::vector<std::string> environment;  // the whole of it, "NAME=value"
    double seconds = 60;                   // deadline; then SIGTERM, a moment later SIGKILL
    std::int64_t resident_bytes = 0;       // of it and its descendants together; 0 for no limit
    std::int64_t said_bytes = 64 << 20;    // what it may say on descriptor 3; more is a flood and ends it
    bool keep_input = false;               // its standard input stays open for `send`; otherwise it is empty
};

struct Ended {
    Outcome outcome;
    std::string stderr_tail;     // the last 4 KiB
    std::string torn;            // what stood on descriptor 3 after the last whole line (at most 200 bytes)
    int outlived = 0;            // descendants that were still there when it ended, and were ended too
    std::int64_t peak_resident_bytes = 0;
};

struct Reactions {
    std::function<void(std::string_view line)> on_line;  // a whole line on descriptor 3, without its newline
    std::function<void(const Ended&)> on_end;            // exactly once, from `step`; no line follows
};

}  // namespace tocuda
