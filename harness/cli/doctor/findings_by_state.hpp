// tocuda, Apache-2.0.
// Findings by their state. The type itself is in model, so that json_lines can write it.
#pragma once

#include <utility>

#include "model/finding.hpp"

namespace tocuda::doctor {

inline Finding ok(std::string check, std::string evidence) {
    return {std::move(check), State::ok, std::move(evidence), {}};
}
inline Finding warning(std::string check, std::string evidence, std::string remedy, Scope reach = Scope::command) {
    return {std::move(check), State::warning, std::move(evidence), std::move(remedy), false, reach};
}
inline Finding unknown(std::string check, std::string evidence) {
    return {std::move(check), State::unknown, std::move(evidence), {}};
}
inline Finding fault(std::string check, std::string evidence, std::string remedy, Scope reach = Scope::command) {
    return {std::move(check), State::fault, std::move(evidence), std::move(remedy), false, reach};
}

}  // namespace tocuda::doctor
