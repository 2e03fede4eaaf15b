// tocuda, Apache-2.0.
// Compares one GPU with its peers: those of the same model, driver, VBIOS and power limit. Equal GPUs differ by several
// percent, so a node stands out only if it is far from its peers relative to their spread *and* by more than a margin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tocuda {

enum class Standing { usual, below, above, too_few_peers, no_value };

struct CohortRules {
    double level = 0.01;   // how often any node of a sound cohort stands out, over all rows and nodes
    double margin = 0.03;  // smaller differences from the peers are usual
    int peers_min = 5;
    int questions_elsewhere = 0;  // questions that share the level with these: a large fleet is judged row by row
};

// Returns how many questions a row with this many values asks; 0 if there are too few values.
int questions_of(std::size_t values, const CohortRules& rules);

struct CohortAnswer {
    Standing standing = Standing::usual;
    int peers = 0;                       // excludes the node itself
    std::optional<double> difference{};  // value / the peers' median - 1
    std::optional<double> z{};           // in robust standard deviations of the peers
    std::string because{};  // "4.1 % below its 63 peers, 12.3 times their spread", or why there is no answer

    bool operator==(const CohortAnswer&) const = default;
};

// Takes one row of all nodes: seconds, or bytes per second, above 0. Returns one answer for each value, in the same
// order; the order does not affect the answers.
std::vector<CohortAnswer> judge_cohort(std::span<const double> values, const CohortRules& rules = {});

}  // namespace tocuda
