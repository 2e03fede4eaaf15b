// tocuda, Apache-2.0.
// What a check of `tocuda doctor` found.
#pragma once

#include <string>

#include "model/explanation.hpp"

namespace tocuda::doctor {

enum class State { ok, warning, unknown, fault };

struct Finding {
    std::string check{};  // "driver library"
    State state = State::ok;
    std::string evidence{};        // what was seen, with the path or number it was read from
    std::string remedy{};          // a command to type; never empty for a fault
    bool of_one_gpu = false;       // a fault of one of several GPUs: the others can be used
    Scope reach = Scope::command;  // what the remedy changes beyond itself

    bool operator==(const Finding&) const = default;
};

constexpr const char* word(State state) {
    switch (state) {
        case State::ok:
            return "ok";
        case State::warning:
            return "warning";
        case State::unknown:
            return "unknown";
        case State::fault:
            return "fault";
    }
    return "unknown";
}

}  // namespace tocuda::doctor
