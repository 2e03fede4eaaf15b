// tocuda, Apache-2.0.
// Loads the library that computes LibTorch's operators (computing/), if the environment asks for it.
#pragma once

namespace tocuda::simulator {

// Call outside the simulation's lock when the program uses a device. The library links LibTorch, so it is not
// preloaded, but opened once LibTorch is in the process.
void meet_libtorch();

}  // namespace tocuda::simulator
