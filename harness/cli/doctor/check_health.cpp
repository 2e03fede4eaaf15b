// tocuda, Apache-2.0.
// The state of the GPUs as NVML reports it, which it does also where cuInit fails.
#include <fmt/core.h>

#include <algorithm>

#include "doctor/checks.hpp"
#include "doctor/generation.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto health_check = "GPU health";
constexpr int drain_peers = 3;
constexpr int drain_and_reset = 4;
constexpr int reboot = 2;

std::string reset(const Seen& seen, const GpuHealth& gpu) {
    return fmt::format(
        "nvidia-smi -q -i {0} -d PIDS   (GPU {0}: let what it lists end; then: {1}; if it refuses: reboot)",
        number_of_gpu(gpu), as_root(seen, "nvidia-smi --gpu-reset -i " + number_of_gpu(gpu)));
}

std::optional<Finding> trouble_of(const Seen& seen, const GpuHealth& gpu) {
    if (gpu.trouble == nvml_gpu_lost)
        return fault(
            health_check, name_of_gpu(gpu) + " is lost: it has fallen off the bus (NVML 15)",
            as_root(seen, "dmesg | grep -i xid") + "   (look for Xid 79; then reboot, or switch power off and on)");
    if (gpu.trouble == nvml_reset_required)
        return fault(health_check, name_of_gpu(gpu) + " requires a reset (NVML 16)", reset(seen, gpu), Scope::others);
    const int action = gpu.recovery_action.value_or(0);
    if (action == reboot)
        return fault(health_check, name_of_gpu(gpu) + " asks for a reboot of the machine (NVML recovery action 2)",
                     "nvidia-smi   (let the work of the whole machine end; then: " + as_root(seen, "reboot") + ")");
    if (action == drain_peers)
        return warning(health_check, name_of_gpu(gpu) + " asks for its peers' work to end (NVML recovery action 3)",
                       as_root(seen, "nvidia-smi -q -i " + number_of_gpu(gpu)));
    if (action > drain_and_reset)
        return fault(
            health_check, fmt::format("{} asks for a recovery (NVML recovery action {})", name_of_gpu(gpu), action),
            fmt::format("nvidia-smi -q -i {} | grep -i -A1 recovery   (names the action)", number_of_gpu(gpu)));
    if (action > 0)
        return fault(health_check,
                     fmt::format("{} asks for a reset (NVML recovery action {})", name_of_gpu(gpu), action),
                     reset(seen, gpu), Scope::others);
    if (gpu.remapping_failed.value_or(false))
        return fault(health_check, name_of_gpu(gpu) + ": row remapping failed",
                     as_root(seen, "nvidia-smi -q -d ROW_REMAPPER -i " + number_of_gpu(gpu)) +
                         "   (then have the board replaced)");
    return std::nullopt;
}

Findings notes_on(const Seen& seen, const GpuHealth& gpu) {
    Findings notes;
    if (gpu.uncorrected_errors.value_or(0) > 0)
        notes.push_back(warning(health_check,
                                fmt::format("{} has had {} uncorrected memory errors since its driver was loaded",
                                            name_of_gpu(gpu), *gpu.uncorrected_errors),
                                reset(seen, gpu), Scope::others));
    if (gpu.remapping_pending.value_or(false))
        notes.push_back(warning(health_check, name_of_gpu(gpu) + " will remap a memory row at its next reset",
                                reset(seen, gpu), Scope::others));
    constexpr std::int64_t thermal = 0x20 | 0x40, power_brake = 0x80;  // NVML's clock event reasons
    if ((gpu.clock_reasons.value_or(0) & thermal) != 0)
        notes.push_back(
            warning(health_check, name_of_gpu(gpu) + " runs slower than it could: it is too hot",
                    fmt::format("nvidia-smi -q -i {} -d TEMPERATURE,PERFORMANCE   (fans, airflow, thermal paste)",
                                number_of_gpu(gpu))));
    if ((gpu.clock_reasons.value_or(0) & power_brake) != 0)
        notes.push_back(warning(health_check, name_of_gpu(gpu) + " is slowed down by the power supply (power brake)",
                                fmt::format("nvidia-smi -q -i {} -d POWER,PERFORMANCE", number_of_gpu(gpu))));
    return notes;
}

// The fabric manager runs beside the NVSwitches: on this machine, or in the switch trays of a rack.
std::string ask_fabric_manager(const Seen& seen, const std::string& command) {
    const bool of_a_rack =
        std::ranges::any_of(seen.bus.gpus, [](const PciGpu& gpu) { return has_fabric_of_a_rack(gpu.device); }) ||
        std::ranges::any_of(seen.probe.nvml_gpus, [](const GpuHealth& gpu) { return gpu.fabric_cluster.has_value(); });
    return of_a_rack ? "nvidia-smi -q | grep -A 10 Fabric   (the fabric manager of this rack runs in its switch trays, "
                       "not here: whoever runs them must look there)"
                     : as_root(seen, command);
}

std::optional<Finding> nvml_itself(const Seen& seen) {
    if (seen.probe.nvml_init != nvml_version_mismatch) return std::nullopt;
    return fault(health_check,
                 fmt::format("the driver's libraries and its kernel module{} have different versions (NVML 18): the "
                             "driver was upgraded without loading the new module",
                             seen.kernel.version ? " " + *seen.kernel.version : std::string()),
                 reload_driver(seen));
}

}  // namespace

std::string name_of_gpu(const GpuHealth& gpu) {
    const auto address = gpu.pci ? " at " + *gpu.pci : std::string();
    return gpu.index < 0 ? (address.empty() ? "a GPU" : "the GPU" + address)
                         : fmt::format("GPU {}{}", gpu.index, address);
}

std::string number_of_gpu(const GpuHealth& gpu) {
    return gpu.index < 0 ? gpu.pci.value_or("NUMBER") : std::to_string(gpu.index);
}

std::optional<Finding> fabric_not_ready(const Seen& seen) {
    for (const auto& gpu : seen.probe.nvml_gpus) {
        const int state = gpu.fabric_state.value_or(0);
        if (state == 1 || state == 2)
            return fault("cuInit",
                         fmt::format("cuInit answers 802: {} has not joined the NVLink fabric (registration {})",
                                     name_of_gpu(gpu), state == 1 ? "not started" : "in progress"),
                         ask_fabric_manager(seen,
                                            "systemctl restart nvidia-fabricmanager   (of the driver's own "
                                            "version; then wait a minute)"));
        if (state == 3 && gpu.fabric_status.value_or(0) != 0)
            return fault("cuInit",
                         fmt::format("cuInit answers 802: {} failed to join the NVLink fabric (status {})",
                                     name_of_gpu(gpu), *gpu.fabric_status),
                         ask_fabric_manager(seen, "journalctl -u nvidia-fabricmanager"));
    }
    return std::nullopt;
}

std::size_t gpus_with_faults(const Seen& seen) {
    return static_cast<std::size_t>(std::ranges::count_if(seen.probe.nvml_gpus, [&](const GpuHealth& gpu) {
        const auto found = trouble_of(seen, gpu);
        return found && found->state == State::fault;
    }));
}

Findings check_health(const Seen& seen) {
    if (auto mismatch = nvml_itself(seen); mismatch && !seen.probe.usable()) return {*std::move(mismatch)};
    Findings findings;
    const bool some_are_well = seen.probe.usable() && gpus_with_faults(seen) < seen.probe.nvml_gpus.size();
    for (const auto& gpu : seen.probe.nvml_gpus) {
        if (auto found = trouble_of(seen, gpu)) {
            found->of_one_gpu = found->state == State::fault && some_are_well;
            findings.push_back(*std::move(found));
        }
        const auto notes = notes_on(seen, gpu);
        findings.insert(findings.end(), notes.begin(), notes.end());
    }
    if (std::ranges::any_of(seen.probe.nvml_gpus, [](const GpuHealth& gpu) { return gpu.persistence == false; }))
        findings.push_back(ok("persistence", "it is off: the first call of a process may take 1 to 3 s for each GPU"));
    if (seen.probe.confidential.value_or(false))
        findings.push_back(warning(health_check, "confidential computing is on: cudaHostRegister answers 801",
                                   "nvidia-smi conf-compute -q   (pin memory with pin_memory() instead)"));
    const bool well = std::ranges::all_of(findings, [](const Finding& one) { return one.state == State::ok; });
    if (well && !seen.probe.nvml_gpus.empty())
        findings.push_back(ok(health_check, "NVML reports no GPU that is lost, needs a reset or has memory errors"));
    return findings;
}

}  // namespace tocuda::doctor
