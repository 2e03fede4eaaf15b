// tocuda, Apache-2.0.
// Loads the library that computes LibTorch's operators (computing/), if TOCUDA_COMPUTE is set: 1 computes, 0 only
// counts what LibTorch allocates and switches off cuDNN, so that both take the same memory.
#pragma once

namespace tocuda::simulator {

// Call outside the simulation's lock when the program uses a device. The library links LibTorch, so it is not
// preloaded, but opened once LibTorch is in the process. `allocates`: LibTorch's allocator may be watched from now on.
void meet_libtorch(bool allocates);

// Whether LibTorch's operators are computed in this process.
bool computes_operators();
// Whether they never will be: nobody asked for it, or there is no library for this LibTorch.
bool computes_nothing();

}  // namespace tocuda::simulator
