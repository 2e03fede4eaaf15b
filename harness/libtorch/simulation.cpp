// tocuda, Apache-2.0.
// Finds the simulated runtime by dlsym, because it may or may not be loaded; nothing is linked.
#include "libtorch/simulation.hpp"

#include <dlfcn.h>

#include "simulator/simulation.h"

namespace tocuda {

bool gpu_computes() {
    using Ask = int (*)(tocuda_simulation_state_t*);
    const auto ask = reinterpret_cast<Ask>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_state"));
    if (!ask) return true;
    tocuda_simulation_state_t state{};
    state.version = 1;
    return ask(&state) == 0 && state.kernels_not_executed == 0;
}

}  // namespace tocuda
