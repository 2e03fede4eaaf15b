// tocuda, Apache-2.0.
// Known differences between versions of LibTorch, compared with what the running version did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/evidence.hpp"
#include "model/scenario.hpp"

namespace tocuda {

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

}  // namespace tocuda
