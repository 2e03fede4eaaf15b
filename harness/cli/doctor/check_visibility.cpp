// tocuda, Apache-2.0.
// Which GPUs the environment and MIG leave visible, and under which numbers.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "doctor/checks.hpp"
#include "doctor/remedies.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto visible_check = "CUDA_VISIBLE_DEVICES";

// What CUDA makes of the variable: it takes entries up to the first that names no GPU.
struct Shown {
    int gpus = 0;
    std::string stopped_by{};
};

std::optional<int> gpus_of_machine(const Seen& seen) {
    if (seen.probe.nvml_devices) return seen.probe.nvml_devices;
    int nodes = 0;
    for (const auto& node : seen.nodes)
        nodes += whole_number<int>(
                     node.path.substr(std::min<std::size_t>(std::string("/dev/nvidia").size(), node.path.size())))
                     .has_value();
    return nodes > 0 ? std::optional(nodes) : std::nullopt;
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
    return std::string(text);
}

std::string why_no_gpu(const Seen& seen, const std::string& entry) {
    if (entry.empty()) return "it is empty";
    if (entry.starts_with("MIG-")) return {};  // instances are not listed
    if (entry.starts_with("GPU-")) {
        const auto& all = seen.probe.nvml_gpus;
        const bool known =
            std::ranges::any_of(all, [&](const GpuHealth& gpu) { return gpu.uuid && gpu.uuid->starts_with(entry); });
        return all.empty() || known ? "" : fmt::format("no GPU here has the UUID '{}'", entry);
    }
    const auto index = whole_number<int>(entry);
    if (!index) return fmt::format("'{}' is neither an index nor a UUID", entry);
    if (*index < 0) return fmt::format("'{}' ends the list", entry);
    const auto count = gpus_of_machine(seen);
    return count && *index >= *count
               ? fmt::format("there is no GPU {}: {} here", *index,
                             *count == 1 ? "the only one is 0" : fmt::format("they are 0 to {}", *count - 1))
               : "";
}

Shown shown_by(const Seen& seen, const std::string& value) {
    Shown shown;
    for (std::size_t begin = 0; begin <= value.size();) {
        const auto end = std::min(value.find(',', begin), value.size());
        shown.stopped_by = why_no_gpu(seen, trimmed(std::string_view(value).substr(begin, end - begin)));
        if (!shown.stopped_by.empty()) return shown;
        ++shown.gpus;
        begin = end + 1;
    }
    return shown;
}

Finding hides_all(const Seen& seen, const std::string& value, const Shown& shown) {
    const auto evidence = fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides every GPU: {}", value, shown.stopped_by);
    if (!seen.variable("SLURM_JOB_ID").empty())
        return fault(visible_check, evidence + "; the Slurm job has no GPU", "srun --gres=gpu:1 ...");
    return fault(visible_check, evidence, "unset CUDA_VISIBLE_DEVICES");
}

Findings of_variable(const Seen& seen) {
    const auto found = seen.variables.find(visible_check);
    if (found == seen.variables.end()) return {};
    const auto& value = found->second;
    const auto shown = shown_by(seen, value);
    if (!seen.probe.usable() && shown.gpus == 0) return {hides_all(seen, value, shown)};
    if (!shown.stopped_by.empty() && shown.gpus > 0)
        return {warning(
            visible_check,
            fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" shows its first {} only: {}", value, shown.gpus, shown.stopped_by),
            "unset CUDA_VISIBLE_DEVICES")};
    if (std::ranges::any_of(value, [](unsigned char letter) { return std::isspace(letter) != 0; })) {
        auto without = value;
        std::erase_if(without, [](unsigned char letter) { return std::isspace(letter) != 0; });
        return {warning(visible_check,
                        fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" contains spaces, which not every program "
                                    "skips",
                                    value),
                        "export CUDA_VISIBLE_DEVICES=" + without)};
    }
    return {ok(visible_check, fmt::format("CUDA_VISIBLE_DEVICES={}", value))};
}

// One line for each GPU: its numbers in CUDA and in nvidia-smi, its address and its UUID.
Findings numbered(const Seen& seen) {
    Findings findings;
    const auto& probe = seen.probe;
    for (std::size_t i = 0; i < std::min(probe.gpus.size(), probe.cuda_gpus.size()); ++i) {
        const auto& gpu = probe.gpus[i];
        const auto* other = health_of(seen, probe.cuda_gpus[i]);
        auto text = gpu.name.value_or("a GPU");
        if (gpu.compute_capability) text += ", compute capability " + *gpu.compute_capability;
        if (gpu.memory_bytes) text += fmt::format(", {:.0f} GiB", static_cast<double>(*gpu.memory_bytes) / gib);
        if (other) text += fmt::format("; nvidia-smi's {}", other->index);
        if (probe.cuda_gpus[i].pci) text += ", PCI " + *probe.cuda_gpus[i].pci;
        if (gpu.uuid) text += ", " + *gpu.uuid;
        findings.push_back(ok(fmt::format("cuda:{}", gpu.index), (seen.simulated() ? "SIMULATED " : "") + text));
    }
    return findings;
}

std::optional<Finding> other_order(const Seen& seen) {
    if (seen.variables.contains(visible_check)) return std::nullopt;
    for (const auto& gpu : seen.probe.cuda_gpus) {
        const auto* other = health_of(seen, gpu);
        if (other && other->index != gpu.index)
            return warning("GPU order", fmt::format("cuda:{} is number {} of nvidia-smi", gpu.index, other->index),
                           "export CUDA_DEVICE_ORDER=PCI_BUS_ID");
    }
    return std::nullopt;
}

}  // namespace

bool hidden_by_variable(const Seen& seen) {
    const auto found = seen.variables.find(visible_check);
    return found != seen.variables.end() && shown_by(seen, found->second).gpus == 0;
}

bool mig_without_instances(const Seen& seen) {
    return std::ranges::any_of(seen.probe.nvml_gpus,
                               [](const GpuHealth& gpu) { return gpu.mig.value_or(false) && gpu.mig_instances == 0; });
}

Findings check_visibility(const Seen& seen) {
    auto findings = of_variable(seen);
    const auto gpus = numbered(seen);
    findings.insert(findings.end(), gpus.begin(), gpus.end());
    if (auto order = other_order(seen)) findings.push_back(*std::move(order));
    return findings;
}

Findings check_mig(const Seen& seen) {
    Findings findings;
    for (const auto& gpu : seen.probe.nvml_gpus) {
        if (gpu.mig && gpu.mig_pending && gpu.mig != gpu.mig_pending)
            findings.push_back(warning(
                "MIG",
                fmt::format("MIG of GPU {} will be {} after its next reset", number_of_gpu(gpu),
                            *gpu.mig_pending ? "on" : "off"),
                as_root(seen, "nvidia-smi --gpu-reset -i " + number_of_gpu(gpu)) + "   (once no program uses it)",
                Scope::others));
        if (!gpu.mig.value_or(false) || !gpu.mig_instances) continue;
        const int instances = *gpu.mig_instances;
        if (instances > 0) {
            findings.push_back(ok("MIG", fmt::format("GPU {} is divided into {}; a process sees one of them",
                                                     number_of_gpu(gpu), instances)));
            continue;
        }
        const auto evidence = fmt::format("MIG is on for GPU {}, but it has no instances", number_of_gpu(gpu));
        const auto remedy = as_root(seen, fmt::format("nvidia-smi mig -i {} -cgi 0 -C", number_of_gpu(gpu))) +
                            fmt::format("   (one instance of the whole GPU; or switch MIG off: {})",
                                        as_root(seen, fmt::format("nvidia-smi -i {} -mig 0", number_of_gpu(gpu))));
        findings.push_back(seen.probe.usable() ? warning("MIG", evidence, remedy, Scope::machine)
                                               : fault("MIG", evidence, remedy, Scope::machine));
    }
    return findings;
}

}  // namespace tocuda::doctor
