// tocuda, Apache-2.0.
// A scenario as a plain value, and the documents that its claims come from.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/judgement.hpp"

namespace tocuda {

// Where claims come from: the id of a claim of a question-and-answer document begins with its number, that of a claim
// of today with T.
inline constexpr std::array<std::string_view, 5> document_titles{
    "Why is a PyTorch Tensor failing to move to the GPU?",
    "Why does PyTorch's .to('cuda') or .cuda() method fail to transfer tensors to the GPU?",
    "Why can't the tensor be moved to GPU memory?",
    "Why is a tensor on CUDA attempting to use CPU storage?",
    "Why isn't my GPU being used by PyTorch?",
};

inline bool is_of_today(std::string_view claim) { return claim.starts_with("T-"); }

inline std::string source_of(std::string_view claim) {
    for (std::size_t i = 0; i < document_titles.size(); ++i)
        if (claim.starts_with("00" + std::to_string(i) + "-"))
            return "document 00" + std::to_string(i) + ", \"" + std::string(document_titles[i]) + "\" (2025-01-30)";
    return is_of_today(claim) ? "said today, in issues and pull requests"
                              : "seen in the field; in none of the documents";
}

// A scenario as a plain value: its claims, needs and variants.
struct Claim {
    std::string id;         // 000-04
    std::string statement;  // what the document says, paraphrased
};

struct Needs {
    int gpus = 0;
    double free_gib = 0;
    std::string compute_capability{};  // least, "8.0", or "below 8.0"; empty: any
    bool arithmetic = false;           // depends on how fast a GPU computes
    std::string profile{};             // of simulated GPUs on which it runs: "GH200"; empty: H200
    std::string machine{};             // what else the machine must have: "reserved huge pages"; decided when it runs

    bool operator==(const Needs&) const = default;
};

struct Limits {
    double seconds = 60;
    std::int64_t resident_bytes = std::int64_t{4} << 30;

    bool operator==(const Limits&) const = default;
};

// Environment variables to set or, if nullopt, to remove.
using Environment = std::map<std::string, std::optional<std::string>>;
using Expectations = std::map<std::string, Verdict>;

// A known difference between versions of LibTorch: what the evidence under this key says in each.
struct Difference {
    std::string key;
    std::map<std::string, std::string> says;  // "2.11" -> words in a text, or a number; "": words of no other version
    std::string remark{};                     // what it means, where that is not obvious
    std::vector<std::string> variants{};      // where it is seen; empty: all that have the key
};

struct Variant {
    std::string name = "default";
    Environment environment{};
    std::vector<std::string> fakes{};   // "driver 11020", "driver absent": see simulator/README.md
    std::string simulate{};             // "2x1GiB": the GPUs of this variant when they are simulated
    std::vector<std::string> faults{};  // "cudaMalloc 3 2 sticky": needs simulated GPUs, so it never runs on real ones
    Limits limits{};
    std::optional<Needs> needs{};  // if they differ from the scenario's
    Expectations expected{};
    std::string program{};  // observes it instead of the worker, next to it: the same source, built differently
};

struct Scenario {
    std::string name;  // family/stem
    std::string summary;
    std::vector<Claim> claims;
    Needs needs{};
    std::vector<Variant> variants;
    bool judges_ends = false;  // it tests for a crash or a time-out, which otherwise is `broken`
    std::string observed{};    // what is observed: one sentence
    std::string decisive{};    // what decides the verdicts: one sentence
    std::vector<Difference> differs{};

    // A document's code example has no claims: it shows what each line does. It runs only if it is named.
    std::vector<std::string> code{};
    std::string says{};                      // what the document says of it
    std::vector<std::string> illustrates{};  // the claims that it is about
};

inline std::string family(const Scenario& scenario) { return scenario.name.substr(0, scenario.name.find('/')); }

inline const Needs& needs_of(const Scenario& scenario, const Variant& variant) {
    return variant.needs ? *variant.needs : scenario.needs;
}

}  // namespace tocuda
