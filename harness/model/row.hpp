// tocuda, Apache-2.0.
// A scenario's row: one variant, run once, with its evidence and verdicts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/difference.hpp"
#include "model/evidence.hpp"
#include "model/verdict.hpp"

namespace tocuda {

struct ClaimVerdict {
    std::string id;
    Verdict verdict = Verdict::inconclusive;
    Verdict expected = Verdict::inconclusive;
    std::string because;

    bool unexpected() const { return is_unexpected(verdict, expected); }
};

struct Row {
    std::string name;
    std::string variant;
    Evidence evidence{};
    std::vector<ClaimVerdict> claims{};
    std::vector<SeenDifference> differs{};  // known differences from other versions of LibTorch; written, not read back
};

constexpr std::string_view word(Device device) {
    return device == Device::real ? "real" : device == Device::simulated ? "simulated" : "none";
}

}  // namespace tocuda
