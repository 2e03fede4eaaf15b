// tocuda, Apache-2.0.
#include "doctor/diagnose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "doctor/checks.hpp"

namespace tocuda::doctor {
namespace {

struct Step {
    const char* name;  // named where a fault hides it; null: it applies to some machines only
    Findings (*check)(const Seen&);
    bool beside_faults = false;  // a fault before it does not hide it
};

constexpr std::array steps{Step{nullptr, check_wsl},
                           Step{nullptr, check_container},
                           Step{nullptr, check_bus},
                           Step{"kernel module", check_module},
                           Step{"device nodes", check_nodes},
                           Step{"libcuda", check_library},
                           Step{"GPU health", check_health},
                           Step{"cuInit", check_initialisation},
                           Step{"CUDA_VISIBLE_DEVICES", check_visibility},
                           Step{nullptr, check_mig},
                           Step{nullptr, check_compute_mode},
                           Step{nullptr, check_memory},
                           Step{nullptr, check_kernel_log, true},
                           Step{nullptr, check_imex},
                           Step{nullptr, check_power},
                           Step{nullptr, check_link},
                           Step{nullptr, check_iommu},
                           Step{nullptr, check_shared_memory}};

// What a fault of one GPU of several does not hide.
bool has_fault(const Findings& findings) {
    const auto* const cause = cause_of(findings);
    return cause && !cause->of_one_gpu;
}

}  // namespace

std::vector<Finding> diagnose(const Seen& seen) {
    std::vector<Finding> findings;
    for (const auto& step : steps) {
        // NVML answers where the driver does not.
        const bool reached =
            !has_fault(findings) || step.beside_faults || (step.check == check_health && !seen.probe.nvml_gpus.empty());
        if (reached) {
            const auto found = step.check(seen);
            findings.insert(findings.end(), found.begin(), found.end());
        } else if (step.name) {
            findings.push_back(unknown(step.name, "not reached"));
        }
    }
    return findings;
}

const Finding* cause_of(const std::vector<Finding>& findings) {
    const auto of_all =
        std::ranges::find_if(findings, [](const Finding& one) { return one.state == State::fault && !one.of_one_gpu; });
    if (of_all != findings.end()) return &*of_all;
    const auto found = std::ranges::find(findings, State::fault, &Finding::state);
    return found == findings.end() ? nullptr : &*found;
}

std::string gpus_in_words(const Seen& seen) {
    const auto& probe = seen.probe;
    std::string text = seen.simulated() ? "SIMULATED " : "";
    if (const auto bad = gpus_with_faults(seen); bad > 0 && probe.usable())
        return text + fmt::format("{} of {} GPUs", probe.nvml_gpus.size() - bad, probe.nvml_gpus.size());
    text += probe.gpus.empty() ? "a GPU" : probe.gpus.front().name.value_or("a GPU");
    if (probe.gpus.size() > 1) text += fmt::format(" and {} more", probe.gpus.size() - 1);
    std::string versions;
    if (const auto driver = seen.kernel.version ? seen.kernel.version : probe.nvml_driver)
        versions = "driver " + *driver;
    if (probe.version && *probe.version > 0)
        versions += (versions.empty() ? "" : ", ") + ("CUDA " + cuda_version_text(*probe.version));
    return versions.empty() ? text : text + " (" + versions + ")";
}

std::optional<LibTorchWords> what_libtorch_says(const Seen& seen, const Finding* cause, bool built_with_cuda) {
    const auto& probe = seen.probe;
    if (!built_with_cuda) return LibTorchWords{"Torch not compiled with CUDA enabled", {"004-06"}};
    if (cause) {
        if (cause->check == "torch build") return LibTorchWords{"Torch not compiled with CUDA enabled", {"004-06"}};
        if (cause->check == "torch libraries") return std::nullopt;  // `import torch` fails
        if (cause->check == "torch CUDA version")
            return LibTorchWords{"The NVIDIA driver on your system is too old", {"001-04", "001-05"}};
        if (cause->check == "torch architectures")
            return LibTorchWords{"CUDA error: no kernel image is available for execution on the device", {"004-04"}};
    }
    if (!probe.finished || probe.usable()) return std::nullopt;
    if (!probe.library) return LibTorchWords{"Found no NVIDIA driver on your system", {"000-02", "001-E1"}};
    const int code = probe.init.value_or(0);
    if (code == 100 || (code == 0 && probe.devices == 0))
        return LibTorchWords{"No CUDA GPUs are available", {"004-10", "004-11"}};
    if (code == 3)
        return LibTorchWords{"CUDA driver initialization failed, you might not have a CUDA gpu.", {"004-01"}};
    if (code == 999)
        return LibTorchWords{"CUDA unknown error - this may be due to an incorrectly set up environment", {"004-01"}};
    if (code == 0) return std::nullopt;
    return LibTorchWords{fmt::format("Unexpected error from cudaGetDeviceCount() ... Error {}", code),
                         {code == 46 ? "001-08" : "004-01"}};
}

}  // namespace tocuda::doctor
