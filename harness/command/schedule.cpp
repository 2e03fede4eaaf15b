// tocuda, Apache-2.0.
#include "command/schedule.hpp"

#include <algorithm>

namespace tocuda {

Schedule::Schedule(const std::vector<Step>& steps, int jobs_at_once) : jobs(jobs_at_once) {
    for (const auto& step : steps) entries.push_back({step.device == Device::real});
}

std::optional<std::size_t> Schedule::take() {
    const auto runs = [](const Entry& entry) { return entry.state == State::runs; };
    if (std::count_if(entries.begin(), entries.end(), runs) >= jobs) return std::nullopt;
    const bool gpu_taken =
        std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return runs(entry) && entry.real; });
    const auto next = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
        return entry.state == State::waits && !(entry.real && gpu_taken);
    });
    if (next == entries.end()) return std::nullopt;
    next->state = State::runs;
    return static_cast<std::size_t>(next - entries.begin());
}

void Schedule::ended(std::size_t step) { entries.at(step).state = State::over; }

bool Schedule::done() const {
    return std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.state == State::over; });
}

}  // namespace tocuda
