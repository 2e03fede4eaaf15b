// tocuda, Apache-2.0.
// The whole numbers or words that a parameter may be on any machine. Others are refused before anything is measured.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "model/evidence.hpp"

namespace tocuda {

struct Allowed {
    static constexpr auto no_most = std::numeric_limits<std::int64_t>::max();

    std::int64_t least = 0;
    std::int64_t most = no_most;
    std::int64_t multiple_of = 1;
    bool or_zero = false;
    Values only{};          // the only ones, unless it is empty
    std::string because{};  // added to a refusal: "no line may be loaded twice"

    bool operator==(const Allowed&) const = default;
};

std::string in_words(const Allowed& allowed);  // "between 32 and 1024 and a multiple of 32"; empty if all are allowed

// "threads must be between 32 and 1024 and a multiple of 32, not 33"; empty if it is allowed.
std::string why_not_allowed(const std::string& name, std::int64_t value, const Allowed& allowed);
std::string why_not_among(const std::string& name, const Value& value, const Values& only);

}  // namespace tocuda
