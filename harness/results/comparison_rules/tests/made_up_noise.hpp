// tocuda, Apache-2.0.
// Makes up comparisons of equal sides with artificial noise, to count how often a rule mistakes it for a change.
// Nothing here was measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/comparison.hpp"
#include "statistics/random_numbers.hpp"

namespace tocuda {

enum class Noise {
    calm,
    drifting,
    warming_up,
    two_modes_of_processes,
    two_modes_of_starts,
    heavy_tails,
    bad_process,
    alike_within_a_start,
    mixed
};
struct NoiseWords {
    std::string_view name;
    std::string_view meaning;
};
inline constexpr std::array<NoiseWords, 9> noise_words{{
    {"calm", "normal at all levels; starts vary by 0.05 to 0.2 %"},
    {"drifting", "clocks drift within a process, and from start to start (0.1 to 0.5 %)"},
    {"warming up", "first launches up to 20 % slower, first processes up to 3 %"},
    {"two modes, processes", "5 to 50 % of processes are 1 to 10 % slower"},
    {"two modes, starts", "5 to 50 % of starts are 1 to 10 % slower"},
    {"heavy tails", "launches, processes and starts from Student's t, 3 degrees of freedom"},
    {"one bad process", "in half of the starts one process is 10 to 100 % slower"},
    {"alike within a start", "90 % of the variance of starts is common to all rows"},
    {"mixed", "50 % calm, 35 % typical (0.2 to 0.5 %), 15 % rough (0.5 to 2 %) rows"},
}};

struct MadeUpShape {
    int rows = 50;
    int starts = 3;     // per side
    int processes = 6;  // per start
    int launches = 9;   // per process
    int freedom = 20;   // of the history and both sides together: the minimum that a comparison accepts
};

// Returns one comparison of equal sides: a history in one to three groups, then the old side, then the new one.
std::vector<ComparedRow> made_up_comparison(Noise noise, const MadeUpShape& shape, RandomNumbers random);

// Returns paired rounds of equal sides: one start a side, its processes in order of rounds, the order within a round
// random.
std::vector<ComparedRow> made_up_rounds(Noise noise, const MadeUpShape& shape, int rounds, RandomNumbers random);

}  // namespace tocuda
