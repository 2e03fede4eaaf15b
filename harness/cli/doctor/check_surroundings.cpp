// tocuda, Apache-2.0.
// Containers that were started without a GPU, and WSL without its Windows driver.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/checks.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto container_check = "container";
constexpr auto wsl_check = "WSL";

bool names(const std::string& list, std::string_view capability) {
    return ("," + list + ",").find("," + std::string(capability) + ",") != std::string::npos || list == "all";
}

Finding not_passed_in(const Seen& seen) {
    const auto& visible = seen.variable("NVIDIA_VISIBLE_DEVICES");
    auto evidence = container_word(seen.around.container) + " without device nodes (no /dev/nvidia*)";
    if (seen.kernel.version) evidence += ", although the host's driver " + *seen.kernel.version + " is loaded";
    if (visible == "void" || visible == "none") evidence += "; NVIDIA_VISIBLE_DEVICES=" + visible;
    return fault(container_check, evidence, start_with_gpus(seen));
}

Findings of_running(const Seen& seen) {
    Findings findings{ok(container_check, container_word(seen.around.container) + " with its GPUs passed in")};
    if (!seen.probe.nvml_library)
        findings.push_back(warning(container_check,
                                   "NVML is not passed in (NVIDIA_DRIVER_CAPABILITIES without utility): nvidia-smi is "
                                   "missing, the GPU works",
                                   "docker run -e NVIDIA_DRIVER_CAPABILITIES=compute,utility --gpus all ..."));
    return findings;
}

}  // namespace

Findings check_container(const Seen& seen) {
    if (seen.around.container == Container::none || seen.around.wsl) return {};
    if (seen.simulated()) return {ok(container_check, container_word(seen.around.container))};
    if (seen.probe.usable()) return of_running(seen);
    const bool host_may_have_gpu = seen.kernel.version || !seen.bus.gpus.empty() || seen.bus.devices == 0;
    if (!seen.has_gpu_node() && !seen.has_node("/dev/nvidiactl") && !seen.around.tegra && host_may_have_gpu)
        return {not_passed_in(seen)};
    const auto& capabilities = seen.variable("NVIDIA_DRIVER_CAPABILITIES");
    if (seen.has_gpu_node() && !seen.probe.library && seen.libraries.empty() && !names(capabilities, "compute"))
        return {fault(container_check,
                      fmt::format("the device nodes are passed in, libcuda.so.1 is not: NVIDIA_DRIVER_CAPABILITIES={} "
                                  "lacks compute",
                                  capabilities.empty() ? "(unset)" : capabilities),
                      "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...")};
    return {ok(container_check, container_word(seen.around.container))};
}

Findings check_wsl(const Seen& seen) {
    if (!seen.around.wsl) return {};
    if (seen.probe.usable()) return {ok(wsl_check, "WSL with the Windows driver")};
    if (!seen.has_node("/dev/dxg"))
        return {fault(wsl_check, "there is no /dev/dxg: this is WSL 1, or Windows passes no GPU in",
                      "wsl --update && wsl --set-version DISTRIBUTION 2   (in PowerShell; then restart WSL)")};
    const auto windows = std::ranges::find(seen.libraries, "/usr/lib/wsl/lib/libcuda.so.1", &DriverLibrary::path);
    if (windows == seen.libraries.end())
        return {fault(
            wsl_check, "there is no /usr/lib/wsl/lib/libcuda.so.1: the Windows driver is missing or too old",
            "wsl --update   (in PowerShell, after installing NVIDIA's driver for Windows; never a Linux driver)")};
    const auto& loaded = seen.probe.library.value_or("");
    if (loaded.empty())
        return {fault(wsl_check, "/usr/lib/wsl/lib/libcuda.so.1 is there, but the loader does not search its folder",
                      "echo /usr/lib/wsl/lib | sudo tee /etc/ld.so.conf.d/wsl.conf && sudo ldconfig")};
    if (!loaded.starts_with("/usr/lib/wsl/"))
        return {fault(wsl_check, loaded + ", of a Linux driver, hides that of WSL",
                      "sudo apt purge 'libcuda1' 'libnvidia-compute-*'")};
    return {ok(wsl_check, "/dev/dxg and the Windows driver's libcuda.so.1 are there")};
}

}  // namespace tocuda::doctor
