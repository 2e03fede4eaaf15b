// tocuda, Apache-2.0.
#include "simulated/simulated_environment.hpp"

#include "engine/engine.hpp"
#include "process/clean_environment.hpp"
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

}  // namespace tocuda
