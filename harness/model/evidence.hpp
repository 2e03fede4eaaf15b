// tocuda, Apache-2.0.
// What one child saw and how it ended. A judge reads it through accessors that refuse to guess: a key that is missing, of another
// type or not computed throws Undecided, so that damaged evidence can never decide a claim.
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
    bool computed = true;  // false: rests on what a simulated GPU did not compute
};

struct Outcome {
    std::string ended = "not_started";  // exit, signal, timeout, not_started
    int code = 0;
    double seconds = 0;
    std::string stopped{};  // what the supervisor found wrong or ended it for: "resident memory over 2 GiB"

    bool normal() const { return ended == "exit" && code == 0 && stopped.empty(); }
};

// "ended by signal 11 (SIGSEGV) after 0.31 s", for people.
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
    bool has(std::string_view key) const { return find(key) != nullptr; }

    bool flag(std::string_view key) const;
    std::int64_t integer(std::string_view key) const;
    double number(std::string_view key) const;  // an integer counts as a number
    const std::string& text(std::string_view key) const;
    const Values& list(std::string_view key) const;
};

// The same of a whole piece of evidence: with the last line of its stderr.
std::string describe_end(const Evidence& evidence);

}  // namespace tocuda
