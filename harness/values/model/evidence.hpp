// tocuda, Apache-2.0.
// What one child observed and how it ended. Judges read it through accessors that never guess: a key that is missing,
// has another type or was not computed throws Undecided, so damaged evidence cannot decide a claim.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/value.hpp"

namespace tocuda {

enum class Device { none, simulated, real };

struct Observation {
    std::string key;
    Value value;
    bool computed = true;  // false: depends on values that a simulated GPU did not compute
};

struct Outcome {
    std::string ended = "not_started";  // exit, signal, timeout, not_started
    int code = 0;
    double seconds = 0;
    std::string stopped{};  // why the supervisor stopped or rejected it: "resident memory over 2 GiB"

    bool normal() const { return ended == "exit" && code == 0 && stopped.empty(); }
};

// Returns text for display: "ended by signal 11 (SIGSEGV) after 0.31 s".
std::string describe_end(const Outcome& outcome);

struct Undecided : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Evidence {
    Device device = Device::none;
    std::vector<std::string> stand_in{};
    Outcome outcome{};
    std::vector<Observation> observations{};
    std::string stderr_tail{};

    const Value* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key); }

    bool flag(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    double number(std::string_view key) const;  // accepts integers, too
    const std::string& text(std::string_view key) const;
    const Values& list(std::string_view key) const;
};

// The same, followed by the last line of stderr.
std::string describe_end(const Evidence& evidence);

}  // namespace tocuda
