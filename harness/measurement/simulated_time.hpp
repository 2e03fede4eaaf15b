// tocuda, Apache-2.0.
// Controls simulated GPUs, whose timed operations only pass their time. Has no effect on real ones.
#pragma once

namespace tocuda {

void move_simulated_bytes(bool on);

// Advances the virtual clock by work that the host did itself; on a real GPU the real clock has advanced already.
void pass_host_seconds(double seconds);

}  // namespace tocuda
