// tocuda, Apache-2.0.
// The device nodes through which the driver reaches its module: there, and allowed to be opened.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "doctor/checks.hpp"
#include "doctor/remedies.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto node_check = "device nodes";

// Why a node cannot be opened: its permissions, or the rule of a container or a job about devices.
Finding refused(const Seen& seen, const std::string& path, int error, const std::string& group) {
    const auto evidence = fmt::format("{} cannot be opened: {}", path, std::strerror(error));
    const bool in_job = !seen.variable("SLURM_JOB_ID").empty();
    if (error == EPERM && in_job)
        return fault(node_check, evidence + " (the Slurm job has no GPU)", "srun --gres=gpu:1 ...");
    if (error == EPERM && seen.around.container != Container::none)
        return fault(node_check,
                     evidence +
                         " (the container lost its right to the device, as after systemctl "
                         "daemon-reload on the host)",
                     "docker restart CONTAINER   (for good: docker run --device /dev/nvidia0 --device /dev/nvidiactl "
                     "--device /dev/nvidia-uvm ...)");
    if (error == EPERM)
        return fault(node_check, evidence + " (a rule about devices of its control group)",
                     "systemctl show --property=DeviceAllow UNIT   (then add: DeviceAllow=/dev/nvidia* rw)");
    if (error == EACCES && seen.around.selinux_enforcing && seen.around.container != Container::none)
        return fault(node_check, evidence + " (SELinux is enforcing)",
                     "sudo setsebool -P container_use_devices 1   (on the host; or --security-opt label=disable)");
    if (error == EACCES)
        return fault(node_check, fmt::format("{} (it belongs to group {})", evidence, group),
                     group.empty() || group == "root"
                         ? as_root(seen, "chmod 666 /dev/nvidia*")
                         : fmt::format("sudo usermod -aG {} $USER   (then log in again)", group));
    return fault(node_check, evidence, look_at_log(seen));
}

std::optional<Finding> refused_node(const Seen& seen) {
    for (const auto& node : seen.nodes)
        if (node.error != 0 && !node.path.starts_with("/dev/nvidia-modeset") &&
            !node.path.starts_with("/dev/nvidia-caps"))
            return refused(seen, node.path, node.error, node.group);
    for (const auto& node : seen.probe.nodes)
        if (node.error == EPERM || node.error == EACCES)
            return refused(seen, node.path.value_or("a node"), *node.error, "");
    return std::nullopt;
}

std::string made_by_nvidia(const Seen& seen) {
    return seen.around.container == Container::none ? as_root(seen, "nvidia-modprobe -c 0 -u") : start_with_gpus(seen);
}

Finding all_there(const Seen& seen) {
    std::string names;
    for (const auto& node : seen.nodes)
        if (node.path.find("caps") == std::string::npos && node.path.find("modeset") == std::string::npos)
            names += (names.empty() ? "" : ", ") + node.path;
    return ok(node_check, names);
}

}  // namespace

Findings check_nodes(const Seen& seen) {
    if (seen.around.wsl || seen.around.tegra || seen.simulated()) return {};
    if (seen.probe.usable()) return seen.nodes.empty() ? Findings{} : Findings{all_there(seen)};
    if (!seen.kernel.version && seen.nodes.empty()) return {};  // the missing driver says so
    if (!seen.has_gpu_node())
        return {fault(node_check,
                      seen.nodes.empty() ? "the module is loaded, but there is no /dev/nvidia*"
                                         : "there is /dev/nvidiactl, but no /dev/nvidia0",
                      made_by_nvidia(seen))};
    if (auto found = refused_node(seen)) return {*std::move(found)};
    if (!seen.has_node("/dev/nvidiactl"))
        return {fault(node_check, "there is no /dev/nvidiactl", made_by_nvidia(seen))};
    if (!seen.has_node("/dev/nvidia-uvm"))
        return {fault(node_check,
                      seen.kernel.modules.contains("nvidia_uvm")
                          ? "there is no /dev/nvidia-uvm"
                          : "there is no /dev/nvidia-uvm: the module nvidia_uvm is not loaded",
                      seen.around.container == Container::none
                          ? as_root(seen, "modprobe nvidia_uvm && nvidia-modprobe -c 0 -u")
                          : "sudo nvidia-modprobe -c 0 -u   (on the host; then start the container again)")};
    return {all_there(seen)};
}

}  // namespace tocuda::doctor
