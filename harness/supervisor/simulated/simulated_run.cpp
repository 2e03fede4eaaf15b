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
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

std::filesystem::path libraries_folder() { return program_folder() / "simulator" / "simulated"; }

}  // namespace

bool can_simulate() { return std::filesystem::exists(libraries_folder() / "libcudart.so.13"); }

Environment simulated_environment(const std::filesystem::path& machine, bool computes) {
    const auto ours = environment_of_this_process();
    const auto folder = libraries_folder();
    const auto before = [&](std::string first, const std::string& variable) {
        const auto found = ours.find(variable);
        const bool has_some = found != ours.end() && found->second && !found->second->empty();
        return has_some ? first + ":" + *found->second : first;
    };
    std::string libraries = folder / "libcudart.so.13";
    for (const auto* library : {"libcublas.so.13", "libcublasLt.so.13", "libnccl.so.2", "libtocuda_thread_end.so"})
        if (std::filesystem::exists(folder / library)) libraries += ":" + (folder / library).string();
    return {{"LD_PRELOAD", before(libraries, "LD_PRELOAD")},
            {"LD_LIBRARY_PATH", before(folder, "LD_LIBRARY_PATH")},
            // An instrumented program would refuse to start behind a preloaded library.
            {"ASAN_OPTIONS", before("verify_asan_link_order=0", "ASAN_OPTIONS")},
            {"TOCUDA_SIMULATION", machine},
            // Kernels that LibTorch has in Triton cannot run; those in CUDA take their place.
            {"TORCH_DISABLE_NATIVE_JIT", "1"},
            {"TOCUDA_COMPUTE", computes ? "1" : "0"}};
}

void say_what_is_visible() {
    const auto ours = environment_of_this_process();
    const auto visible = ours.find("CUDA_VISIBLE_DEVICES");
    if (visible != ours.end() && visible->second)
        complain("tocuda: CUDA_VISIBLE_DEVICES=" + *visible->second + " holds for the simulated GPUs, too");
}

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
