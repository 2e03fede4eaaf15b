// tocuda, Apache-2.0.
// Registers scenarios: each file defines one object; its folder names the family and its stem the scenario.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/evidence.hpp"
#include "model/judgement.hpp"
#include "model/scenario.hpp"
#include "worker/observer.hpp"

namespace tocuda {

using enum Verdict;  // scenarios and their judges name nothing else as often

struct Definition {
    std::string summary;
    std::string observed;
    std::string decisive;
    std::vector<Claim> claims;
    std::vector<Variant> variants;
    Needs needs{};
    bool judges_ends = false;
    std::vector<Difference> differs{};
    std::function<void(Observer&)> observe;
    std::function<void(const Evidence&, Judgement&)> judge;
};

struct Entry {
    Scenario scenario;
    std::function<void(Observer&)> observe;
    std::function<void(const Evidence&, Judgement&)> judge;
};

class Registered {
public:
    // clang 14 has no std::source_location; __builtin_FILE is known to g++, clang and nvcc.
    Registered(Definition definition, const char* file = __builtin_FILE());
};

const std::vector<Entry>& registry();  // sorted by name
const Entry* find_entry(const std::string& name);

}  // namespace tocuda
