// tocuda, Apache-2.0.
#include "simulated/simulated_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "engine/engine.hpp"
#include "machine/simulation_spec.hpp"
#include "process/clean_environment.hpp"
#include "process/counts_reader.hpp"
#include "process/foreground.hpp"
#include "simulated/simulated_environment.hpp"

namespace tocuda {

OrExit<SimulatedEnd> run_simulated(const std::filesystem::path& folder, const SimulatedMachine& machine,
                                   const SimulatedProgram& program) {
    const auto file = write_simulation(folder, machine);
    if (!file) return refuse(nothing_done, file.error().what);
    const auto counts = folder / "counts";
    std::filesystem::remove_all(counts);
    std::filesystem::create_directory(counts);
    auto changes = simulated_environment(*file, program.computes);
    changes["TOCUDA_COUNTS"] = counts;
    changes["TOCUDA_MEMORY_HISTORY"] = program.record.empty() ? std::nullopt : std::optional(program.record);
    auto environment = with_changes(environment_of_this_process(), changes);
    environment = with_changes(environment, program.changes);
    const auto end = run_in_foreground(program.command, as_list(environment), program.limit);
    if (!end) return refuse(nothing_done, end.error().what);
    return SimulatedEnd{end->code, end->signal, end->stopped_by, counts_in(counts, machine.gpus.size())};
}

std::string why_it_used_no_gpu(int code, const SimulationCounts& counts) {
    const bool used = counts.computed > 0 || std::ranges::any_of(counts.gpus, [](const auto& gpu) {
                          return gpu.peak_allocated_bytes > 0 || gpu.peak_reserved_bytes > 0;
                      });
    if (used || code == 0) return "";
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(program_folder() / "../../.tocuda", none))
        if (entry.path().filename().string().starts_with("torch-"))
            return fmt::format("the program used no GPU; if its Python has no torch, start it with PYTHONPATH={}",
                               entry.path().lexically_normal().string());
    return "the program used no GPU; does its Python have torch 2.11 to 2.15?";
}

void say_what_was_recorded(const std::string& before, const std::string& name) {
    if (name.empty()) return;
    complain(before + (std::filesystem::exists(name) ? "memory was recorded: tocuda replay " + name
                                                     : "no memory was recorded: no program with LibTorch took any"));
}

}  // namespace tocuda
