// tocuda, Apache-2.0.
// Whether a GPU that the driver finds can be used: compute mode, and memory that others hold.
#include <fmt/core.h>

#include "doctor/checks.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto context_check = "compute mode";
constexpr double little = 0.1;  // of a GPU's memory

ComputeMode mode_of(const Seen& seen, const CudaGpu& gpu) {
    const auto* health = health_of(seen, gpu);
    const auto of_nvml = health ? health->compute_mode : std::nullopt;
    return static_cast<ComputeMode>(gpu.compute_mode.value_or(of_nvml.value_or(0)));
}

std::string name_of(const CudaGpu& gpu) { return fmt::format("cuda:{}", gpu.index); }

}  // namespace

const GpuHealth* health_of(const Seen& seen, const CudaGpu& gpu) { return tocuda::health_of(seen.probe, gpu); }

Findings check_compute_mode(const Seen& seen) {
    Findings findings;
    for (const auto& gpu : seen.probe.cuda_gpus) {
        const auto mode = mode_of(seen, gpu);
        if (mode == ComputeMode::shared) continue;
        const auto* health = health_of(seen, gpu);
        const auto allow =
            as_root(seen, fmt::format("nvidia-smi -i {} -c DEFAULT", health ? health->index : gpu.index));
        // Programs take the first GPU unless told otherwise: without it they fail, without another they need not.
        if (mode == ComputeMode::prohibited)
            findings.push_back({context_check, gpu.index == 0 ? State::fault : State::warning,
                                name_of(gpu) + " is prohibited for computing: a context answers 46", allow, false,
                                Scope::machine});
        else
            findings.push_back(warning(context_check,
                                       name_of(gpu) + " serves one process at a time: a second context answers 46",
                                       allow, Scope::machine));
    }
    return findings;
}

Findings check_memory(const Seen& seen) {
    Findings findings;
    for (const auto& gpu : seen.probe.cuda_gpus) {
        const auto* health = health_of(seen, gpu);
        // A GPU that shares the host's memory counts the page cache as used.
        if (!health || gpu.integrated.value_or(false) || !health->memory_bytes || !health->memory_free_bytes) continue;
        const auto total = static_cast<double>(*health->memory_bytes);
        const auto free = static_cast<double>(*health->memory_free_bytes);
        if (total > 0 && free < little * total)
            findings.push_back(warning("GPU memory",
                                       fmt::format("{} has {:.1f} of {:.1f} GiB free: others hold the rest",
                                                   name_of(gpu), free / gib, total / gib),
                                       "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv"));
    }
    return findings;
}

}  // namespace tocuda::doctor
