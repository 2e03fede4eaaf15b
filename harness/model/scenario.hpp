// tocuda, Apache-2.0.
// What a scenario is, as a plain value: the claims it carries, what it needs, and the variants it runs in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/verdict.hpp"

namespace tocuda {

struct Claim {
    std::string id;         // 000-04
    std::string statement;  // what the document says, in our words
};

struct Needs {
    int gpus = 0;
    double free_gib = 0;
    std::string compute_capability{};  // the least one, "8.0"; empty for any
    bool arithmetic = false;           // rests on values that a GPU kernel computed

    bool operator==(const Needs&) const = default;
};

struct Limits {
    double seconds = 60;
    std::int64_t resident_bytes = std::int64_t{4} << 30;

    bool operator==(const Limits&) const = default;
};

// An environment variable is set to a value, or taken away.
using Environment = std::map<std::string, std::optional<std::string>>;
using Expectations = std::map<std::string, Verdict>;

// Where versions of LibTorch are known to differ: what the evidence under this key says in each of them.
struct Difference {
    std::string key;
    std::map<std::string, std::string> says;  // "2.11" -> words that a text has, or a number; "" for the words of no other version
    std::string remark{};                     // what it means, where that is not plain
    std::vector<std::string> variants{};      // where it is seen; empty for all that have the key
};

struct Variant {
    std::string name = "default";
    Environment environment{};
    std::vector<std::string> stand_ins{};  // "driver 11020", "driver absent": see stand_in/README.md
    std::string simulate{};                // "2x1GiB": the GPUs that this variant fixes, where they are simulated
    std::vector<std::string> faults{};     // "cudaMalloc 3 2 sticky": of these GPUs, so that it never runs on real ones
    Limits limits{};
    std::optional<Needs> needs{};  // where they differ from the scenario's
    Expectations expected{};
    std::string program{};  // that observes it in the worker's place and lies beside it: the same source, built otherwise
};

struct Scenario {
    std::string name;  // family/stem
    std::string summary;
    std::vector<Claim> claims;
    Needs needs{};
    std::vector<Variant> variants;
    bool judges_ends = false;  // a crash or a time-out is what it looks for; otherwise it is `broken`
    std::string observed{};    // what is looked at: one sentence
    std::string decisive{};    // what of it decides: one sentence
    std::vector<Difference> differs{};
};

inline std::string family(const Scenario& scenario) {
    return scenario.name.substr(0, scenario.name.find('/'));
}

inline const Needs& needs_of(const Scenario& scenario, const Variant& variant) {
    return variant.needs ? *variant.needs : scenario.needs;
}

}  // namespace tocuda
