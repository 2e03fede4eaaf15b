// tocuda, Apache-2.0.
// Compares the clock's readings of the last `steady_seconds` with the last one.
#include "measurement/warm_up.hpp"

#include <algorithm>
#include <deque>

namespace tocuda {
namespace {

constexpr double least_part_of_most = 0.5;

struct Reading {
    double at;
    double clock;
};

// True if the readings span `seconds` and none differs from the last by more than `part` of it.
bool steady(const std::deque<Reading>& readings, double seconds, double part) {
    if (readings.back().at - readings.front().at < seconds) return false;
    const auto last = readings.back().clock;
    return std::all_of(readings.begin(), readings.end(), [&](const Reading& each) {
        return each.clock >= last * (1 - part) && each.clock <= last * (1 + part);
    });
}

}  // namespace

WarmUp::Ended WarmUp::run(const Busy& busy, const std::function<double()>& now, std::optional<double> most) const {
    const auto began = now();
    const auto least = most.value_or(0) * least_part_of_most;
    bool was_steady = false;
    std::deque<Reading> readings;
    while (now() - began < most_seconds) {
        const auto clock = busy();
        if (!clock) continue;
        readings.push_back({now(), *clock});
        while (readings.size() > 2 && readings.back().at - readings[1].at >= steady_seconds) readings.pop_front();
        was_steady = steady(readings, steady_seconds, steady_part);
        if (was_steady && *clock >= least) return {.clock = clock};
    }
    if (readings.empty()) return {.flags = {"clock_not_seen"}};
    return {.flags = {was_steady ? "sm_clock_below_half" : "clock_not_steady"}, .clock = readings.back().clock};
}

}  // namespace tocuda
