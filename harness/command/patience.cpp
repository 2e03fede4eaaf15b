// tocuda, Apache-2.0.
// A line after two seconds, and then ever more rarely.
#include "command/patience.hpp"

#include <chrono>

#include "command/complaint.hpp"

namespace tocuda {

void wait_for_end(Supervisor& supervisor, const std::string& what) {
    using Clock = std::chrono::steady_clock;
    auto pause = std::chrono::seconds(2);
    for (auto next = Clock::now() + pause; supervisor.running() > 0;) {
        supervisor.step(0.2);
        if (supervisor.running() == 0 || Clock::now() < next) continue;
        complain("tocuda: " + what);
        pause *= 2;
        next = Clock::now() + pause;
    }
}

}  // namespace tocuda
