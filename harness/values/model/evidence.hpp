// tocuda, Apache-2.0.
// What one child observed and how it ended.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tocuda {

// A value of evidence: exactly what JSON can represent.
struct Value;
using Values = std::vector<Value>;

struct Value {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Values> held;

    Value() = default;
    Value(bool value) : held(value) {}
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    Value(Integer value) : held(static_cast<std::int64_t>(value)) {}
    Value(double value) : held(value) {}
    Value(std::string value) : held(std::move(value)) {}
    Value(std::string_view value) : held(std::string(value)) {}
    Value(const char* value) : held(std::string(value)) {}
    Value(Values value) : held(std::move(value)) {}

    bool operator==(const Value&) const = default;
};

// What one child observed and how it ended. Judges read it through accessors that never guess: a key that is missing,
// has another type or was not computed throws Undecided, so damaged evidence cannot decide a claim.
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
