// tocuda, Apache-2.0.
#include "engine/known_functions.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "engine/engine.hpp"

namespace tocuda {

std::string fault_of_unknown_function(const SimulatedMachine& machine) {
    const auto injected = [](const SimulatedFault& fault) { return !fault.function.empty(); };
    if (std::ranges::none_of(machine.faults, injected)) return "";
    // Our own library: it neither loads CUDA nor looks for a GPU.
    const auto file = program_folder() / "simulator" / "simulated" / "libcudart.so.13";
    void* const runtime = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!runtime) return "";
    const auto unknown = std::ranges::find_if(machine.faults, [&](const SimulatedFault& fault) {
        return injected(fault) && !::dlsym(runtime, fault.function.c_str());
    });
    ::dlclose(runtime);
    if (unknown == machine.faults.end()) return "";
    return "a fault of '" + unknown->function + "': CUDA has no such function, or simulated GPUs lack it";
}

}  // namespace tocuda
