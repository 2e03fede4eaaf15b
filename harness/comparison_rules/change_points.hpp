// tocuda, Apache-2.0.
// Finds when a long history of one row changed. Needs 20 sessions: fewer cannot tell a step from chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tocuda {

struct ChangePoint {
    std::size_t first = 0;  // the first session after the step
    double change = 0;      // median from here to the next step over that before - 1, of time
    // Of a step at least as clear if the sessions were in random order; at least 1 / (shuffles + 1).
    double probability = 0;

    bool operator==(const ChangePoint&) const = default;
};

struct ChangePointRules {
    int sessions_min = 20;
    int segment_min = 4;  // sessions on either side of a step
    double level = 0.005;
    double margin = 0.005;  // smaller steps are ignored
    int shuffles = 999;
    std::uint64_t seed = 1;
};

struct ChangePoints {
    std::vector<ChangePoint> points{};  // in order of time
    std::string because{};              // why none was searched for; empty otherwise

    bool operator==(const ChangePoints&) const = default;
};

// Takes the seconds of sessions in order of time. The clearest step splits the history, and each part is searched
// again. The result is deterministic.
ChangePoints change_points(std::span<const double> seconds, const ChangePointRules& rules = {});

}  // namespace tocuda
