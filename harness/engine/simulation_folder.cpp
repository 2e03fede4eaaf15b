// tocuda, Apache-2.0.
#include "engine/simulation_folder.hpp"

#include "lines/fault_text.hpp"
#include "machine/simulation_file.hpp"
#include "machine/simulation_spec.hpp"

namespace tocuda {

Expected<SimulatedMachine> machine_of(const std::string& spec, const std::vector<std::string>& faults,
                                      std::uint64_t seed) {
    const auto simulation = parse_simulation(spec);
    if (!simulation) return problem(simulation.error());
    auto machine = simulation->machine;
    machine.seed = seed;
    for (const auto& text : faults) {
        const auto fault = parse_fault(text);
        if (!fault) return problem(fault.error());
        machine.faults.push_back(*fault);
    }
    return machine;
}

Expected<std::filesystem::path> SimulationFolder::file_for(const std::string& spec,
                                                           const std::vector<std::string>& faults, std::uint64_t seed) {
    std::string key = spec + "\nseed " + std::to_string(seed);
    for (const auto& fault : faults) key += "\nfault " + fault;
    if (const auto known = files.find(key); known != files.end()) return known->second;
    const auto machine = machine_of(spec, faults, seed);
    if (!machine) return problem(machine.error());
    auto file = write_simulation(folder.path(), *machine);
    if (file) files.emplace(key, *file);
    return file;
}

}  // namespace tocuda
