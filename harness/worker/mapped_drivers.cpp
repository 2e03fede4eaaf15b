// tocuda, Apache-2.0.
// Reads the process map. The folder decides: all our libraries are below a folder named simulator.
#include "worker/mapped_drivers.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

namespace tocuda {

MappedDrivers mapped_drivers(std::istream& maps) {
    MappedDrivers found;
    for (std::string line; std::getline(maps, line);) {
        const bool driver = line.find("/libcuda.so") != std::string::npos;
        const bool runtime = line.find("/libcudart.so") != std::string::npos;
        const bool ours = line.find("/simulator/") != std::string::npos;
        found.ours = found.ours || (ours && (driver || runtime));
        const bool management = line.find("/libnvidia-ml.so") != std::string::npos;
        found.real = found.real || (!ours && (driver || management));
    }
    return found;
}

Device device_of_this_process(const std::function<bool()>& gpu_answered) {
    std::ifstream maps("/proc/self/maps");
    const auto mapped = mapped_drivers(maps);
    if (mapped.ours && mapped.real)
        throw std::runtime_error(
            "a real driver is mapped beside a simulated or fake one: no observation can be trusted");
    if (mapped.ours) return Device::simulated;
    return mapped.real && gpu_answered && gpu_answered() ? Device::real : Device::none;
}

}  // namespace tocuda
