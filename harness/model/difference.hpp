// tocuda, Apache-2.0.
// What is known to differ between versions of LibTorch, beside what the running one was seen to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/evidence.hpp"
#include "model/scenario.hpp"

namespace tocuda {

struct SeenDifference {
    Difference known;
    std::string libtorch{};        // "2.15": the one that ran; empty where it is not known
    std::optional<bool> agrees{};  // with what is known of that one; nothing where nothing is known of it
};

// "2.15.0+cu130" is a 2.15.
std::string minor_version(const std::string& version);

// Those of them that a variant's evidence has the key of.
std::vector<SeenDifference> seen_differences(const std::vector<Difference>& known, const std::string& variant, const std::string& version,
                                             const Evidence& evidence);

}  // namespace tocuda
