// tocuda, Apache-2.0.
#include "nvml/gpus.hpp"

#include <dlfcn.h>

namespace tocuda::simulator::nvml {

const SimulationFile& machine() {
    static const SimulationFile* const file = new SimulationFile(read_simulation_file());
    return *file;
}

const SimulatedGpu* gpu(void* handle) {
    for (const SimulatedGpu& candidate : machine().machine.gpus) {
        if (&candidate == handle) return &candidate;
    }
    return nullptr;
}

int index_of(const SimulatedGpu& of) { return static_cast<int>(&of - machine().machine.gpus.data()); }

unsigned long long bytes_in_use(const SimulatedGpu& of) {
    using Ask = long long (*)(int);
    const auto ask = reinterpret_cast<Ask>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_bytes_in_use"));
    const long long bytes = ask == nullptr ? 0 : ask(index_of(of));
    return bytes < 0 ? 0 : static_cast<unsigned long long>(bytes);
}

}  // namespace tocuda::simulator::nvml
