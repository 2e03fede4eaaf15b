// tocuda, Apache-2.0.
// Prints the line after two seconds, and then after pauses that double each time.
#include "command/patience.hpp"

#include "command/complaint.hpp"
#include "process/time.hpp"

namespace tocuda {

void wait_for_end(Supervisor& supervisor, const std::string& what) {
    double pause = 2;
    for (auto next = now() + pause; supervisor.running() > 0;) {
        supervisor.step(0.2);
        if (supervisor.running() == 0 || now() < next) continue;
        complain("tocuda: " + what);
        pause *= 2;
        next = now() + pause;
    }
}

}  // namespace tocuda
