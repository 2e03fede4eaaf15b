// tocuda, Apache-2.0.
// A scenario's row: one variant, run once, with its evidence and verdicts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/evidence.hpp"
#include "model/judgement.hpp"
#include "model/scenario.hpp"

namespace tocuda {

// Known differences between versions of LibTorch, compared with what the running version did.
struct SeenDifference {
    Difference known;
    std::string libtorch{};        // "2.15": the version that ran; empty if unknown
    std::optional<bool> agrees{};  // whether it did what is known of that version; nullopt if nothing is known
};

// Returns "2.15" for "2.15.0+cu130".
std::string minor_version(const std::string& version);

// Returns those known differences whose key is in the variant's evidence.
std::vector<SeenDifference> seen_differences(const std::vector<Difference>& known, const std::string& variant,
                                             const std::string& version, const Evidence& evidence);

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

inline constexpr std::array<std::string_view, 3> device_words{"none", "simulated", "real"};
constexpr std::string_view word(Device device) { return device_words[static_cast<std::size_t>(device)]; }

}  // namespace tocuda
