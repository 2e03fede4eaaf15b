// tocuda, Apache-2.0.
// Requests: what was asked of `run`, `bench` and `reproduce`, as plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/judgement.hpp"
#include "model/plan.hpp"
#include "request/sweep.hpp"

namespace tocuda {

// What the verbs that start children have in common.
struct Request {
    std::vector<std::string> command{};  // as typed, for the record
    double started = 0;                  // on the clock of process/child.hpp
    Where where{};
    std::map<std::string, std::string> labels{};  // what is said of this host, for the record
    std::string output = "results/local";
    std::string resume{};
    int jobs = 0;        // children in parallel; on real GPUs always one
    double seconds = 0;  // deadline of each child; 0: each has its own
    bool strict = false;
    bool json = false;
    bool quiet = false;
};

struct RunRequest : Request {
    std::vector<std::string> patterns{};
    bool shared = false;            // also use GPUs that other programs use
    bool all = false;               // print every claim, also on a terminal
    std::optional<Verdict> only{};  // print only claims with this verdict
};

struct BenchRequest : Request {
    Wanted wanted{};
    std::uint64_t seed = 1;
    double budget = 0;             // seconds for everything; 0: the protocol's
    bool together = false;         // measures all GPUs at once
    std::string against{};         // the folder of another build
    std::string against_driver{};  // the folder of another libcuda
    bool forecast = false;         // how long it takes, and nothing is measured
};

// Whether it measures two sides in turns.
inline bool is_in_turns(const BenchRequest& request) {
    return !request.against.empty() || !request.against_driver.empty();
}

struct ReproduceRequest : Request {
    std::string file{};
    std::string run{};  // prefix of its id
    int seed = -1;      // -1: the recorded one's successor
    double budget = 0;  // 0: as recorded
};

}  // namespace tocuda
