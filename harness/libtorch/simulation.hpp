// tocuda, Apache-2.0.
// What this process can know of the simulated runtime, where it runs on one.
#pragma once

namespace tocuda {

// False once a kernel of LibTorch's was launched on a simulated GPU: it was not executed, so what comes back is not its result.
bool gpu_computes();

}  // namespace tocuda
