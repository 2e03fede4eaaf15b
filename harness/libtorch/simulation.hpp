// tocuda, Apache-2.0.
// Whether the simulated runtime's results can be trusted in this process.
#pragma once

namespace tocuda {

// Returns false after LibTorch has launched a kernel on a simulated GPU: the simulator did not execute it, so what
// comes back is not its result.
bool gpu_computes();

}  // namespace tocuda
