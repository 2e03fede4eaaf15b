// tocuda, Apache-2.0.
// The result of `compare --fleet`: GPUs that stand out among comparable ones, and what is recorded differently about
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/cohort.hpp"

namespace tocuda {

struct FleetCohort {
    Cohort of{};
    int gpus = 0;

    bool operator==(const FleetCohort&) const = default;
};

struct FleetRow {
    std::string node{};  // "node17 cuda:0"
    std::string gpu{};   // UUIDs
    std::string peer{};
    std::string model{};
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    bool below = true;      // slower than its peers; false: faster
    double difference = 0;  // of speed, relative to the peers' median: below zero is slower
    std::optional<double> z{};
    int peers = 0;
    std::string because{};  // "4.1 % below its 63 peers, 12.3 times their spread"
    std::string differs{};  // "link width 8 instead of 16"; empty: no recorded difference

    bool operator==(const FleetRow&) const = default;
};

struct FleetReport {
    int files = 0;
    int sections = 0;
    int gpus = 0;
    int rows = 0;     // judged rows, each of one GPU
    int alone = 0;    // rows with too few peers to be judged
    int invalid = 0;  // rows without usable measurements
    bool simulated = false;
    std::vector<FleetCohort> cohorts{};
    std::vector<FleetRow> found{};  // slowest first
    std::vector<std::string> warnings{};
};

}  // namespace tocuda
