// tocuda, Apache-2.0.
// Adds up the share of each piece that lies within the timed period.
#include "measurement/overlap.hpp"

#include <algorithm>

namespace tocuda {

double passed_within(double seconds, double began, const std::vector<Passed>& passed) {
    double sum = 0;
    double pace_before = 0;  // seconds per operation
    for (const auto& [at, operations] : passed) {
        const auto lasted = at - began;
        const auto inside = std::min(at, seconds) - std::max(began, 0.0);
        began = std::max(began, at);
        if (!(lasted > 0) || !(operations > 0)) continue;
        auto pace = lasted / operations;
        if (at > seconds) pace = std::max(pace, pace_before);
        if (inside > 0) sum += inside / pace;
        pace_before = pace;
    }
    return sum;
}

}  // namespace tocuda
