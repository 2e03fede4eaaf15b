// tocuda, Apache-2.0.
// One GPU among its equals: the same model, driver, VBIOS and power limit. Equal GPUs differ by several percent, so that a node stands out only where it
// is far from its peers by their own measure *and* by more than a margin.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tocuda {

enum class Standing { usual, below, above, too_few_peers, no_value };

struct CohortRules {
    double level = 0.01;   // how often anyone in a sound cohort stands out, over all rows and nodes
    double margin = 0.03;  // what is nearer than this to its peers is usual
    int peers_min = 5;
    int questions_elsewhere = 0;  // that share the level with these: a large fleet is judged row by row
};

// How many questions a row with so many values asks: none where they are too few.
int questions_of(std::size_t values, const CohortRules& rules);

struct CohortAnswer {
    Standing standing = Standing::usual;
    int peers = 0;                       // without the node itself
    std::optional<double> difference{};  // value / the peers' median - 1
    std::optional<double> z{};           // in robust standard deviations of the peers
    std::string because{};               // "4.1 % below its 63 peers, 12.3 times their spread"; why nothing is said

    bool operator==(const CohortAnswer&) const = default;
};

// One row of all nodes: seconds, or bytes per second, above 0. One answer for each value, in their order, which is of
// no consequence.
std::vector<CohortAnswer> judge_cohort(std::span<const double> values, const CohortRules& rules = {});

}  // namespace tocuda
