// tocuda, Apache-2.0.
// What a benchmark is, and what one parameter set of it gave, as plain values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/scenario.hpp"
#include "model/value.hpp"

namespace tocuda {

// device: between two events on a stream. host: from the call until the stream is synchronised. Never compared with each other.
enum class Clock { device, host };
inline constexpr std::array<std::string_view, 2> clock_words{"device", "host"};
constexpr std::string_view word(Clock clock) { return clock_words[static_cast<std::size_t>(clock)]; }

using Parameters = std::map<std::string, Value>;  // one set: each name with its value

struct Benchmark {
    std::string name;
    std::string summary;
    Clock clock = Clock::device;
    std::map<std::string, Values> parameters{};  // each name with the values that are measured by default
    Needs needs{};

    bool operator==(const Benchmark&) const = default;
};

enum class Status {
    ok,
    wrong,    // the result is not the reference's
    failed,   // a call failed
    timeout,
    crashed,
    skipped,  // a need is not met
    invalid,  // samples that mean nothing
};
inline constexpr std::array<std::string_view, 7> status_words{"ok",      "wrong",   "failed", "timeout",
                                                              "crashed", "skipped", "invalid"};
constexpr std::string_view word(Status status) { return status_words[static_cast<std::size_t>(status)]; }

struct Samples {
    Parameters parameters{};
    Status status = Status::ok;
    std::string check{};  // what was compared, or what went wrong
    Clock clock = Clock::device;
    std::int64_t batch = 0;  // operations between two readings of the clock
    std::int64_t bytes_one_way = 0;
    std::int64_t bytes_touched = 0;
    std::vector<double> seconds{};  // of one operation, in the order in which they were taken

    bool operator==(const Samples&) const = default;
};

}  // namespace tocuda
