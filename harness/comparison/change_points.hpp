// tocuda, Apache-2.0.
// Where a long history of one row changed. Below 20 sessions nothing is said: too few tell a step from chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tocuda {

struct ChangePoint {
    std::size_t first = 0;   // the first session after the step
    double change = 0;       // the median after it, up to the next, over that before it - 1 of time
    double probability = 0;  // of a step at least as clear were all sessions in any order; never below 1 / (shuffles + 1)

    bool operator==(const ChangePoint&) const = default;
};

struct ChangePointRules {
    int sessions_min = 20;
    int segment_min = 4;     // sessions on either side of a step
    double level = 0.005;
    double margin = 0.005;   // a smaller step is none
    int shuffles = 999;
    std::uint64_t seed = 1;
};

struct ChangePoints {
    std::vector<ChangePoint> points{};  // in the order of time
    std::string because{};              // why none was looked for

    bool operator==(const ChangePoints&) const = default;
};

// Seconds of sessions in the order of time. The clearest step splits the history, and each part is looked through again. The same history gives the
// same answer.
ChangePoints change_points(std::span<const double> seconds, const ChangePointRules& rules = {});

}  // namespace tocuda
