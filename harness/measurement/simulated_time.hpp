// tocuda, Apache-2.0.
// What a timed part does on simulated GPUs: nothing but pass its time. Elsewhere there is nothing to switch.
#pragma once

namespace tocuda {

void move_simulated_bytes(bool on);

// The host was busy for so long by itself: on simulated GPUs its virtual clock moves on, elsewhere the real one has.
void pass_host_seconds(double seconds);

}  // namespace tocuda
